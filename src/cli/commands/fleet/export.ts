import path from "node:path";
import { parseAllDocuments } from "yaml";
import type { KubeClient, KubeConfigMap, KubeObject, KubeSecret } from "../../../clients/kube/index.ts";
import {
  apiVersion,
  exportFleet,
  noObjects,
  objectsNotReadable,
  type ExportedFile,
  type FleetObjects,
  type SlipwayCluster,
  type SlipwayHosts,
} from "../../../controller/index.ts";
import { refusingInput, readInput } from "../../input/read-input.ts";
import type { Shell } from "../../shell.ts";
import { writeOutput } from "../../output/write-output.ts";
import { openManagement, type ManagementOptions } from "./open-management.ts";

interface ExportOptions extends ManagementOptions {
  output: string;
  from?: string;
  force?: boolean;
  json?: boolean;
}

export async function run(shell: Shell, options: ExportOptions): Promise<number> {
  return refusingInput(
    shell,
    async () => {
      const files = await (options.from === undefined
        ? fromCluster(shell, options)
        : exportFleet(objectsIn(await readInput(options.from), options.from)));
      for (const file of files) await write(file, shell, options);
    },
    (code) => code.startsWith("KUBE_") || code.endsWith("_NOT_WRITTEN"),
  );
}

async function write(
  { path: name, bytes, clusters }: ExportedFile,
  shell: Shell,
  options: ExportOptions,
): Promise<void> {
  const file = path.join(options.output, name);
  await writeOutput(shell, file, bytes, options.force ?? false);
  if (options.json) shell.lines.tell({ type: "exported", file, ...(clusters && { clusters }) });
}

async function fromCluster(shell: Shell, options: ExportOptions): Promise<ExportedFile[]> {
  const kube = await openManagement(shell, options);
  try {
    return await exportFleet(await objectsOf(kube, options.namespace));
  } finally {
    kube.close();
  }
}

async function objectsOf(kube: KubeClient, namespace: string): Promise<FleetObjects> {
  const [hosts, clusters] = await Promise.all([
    kube.list<SlipwayHosts>({ apiVersion, kind: "SlipwayHosts", namespace }),
    kube.list<SlipwayCluster>({ apiVersion, kind: "SlipwayCluster", namespace }),
  ]);
  if (clusters.items.length === 0) throw noObjects({ where: `namespace "${namespace}" of ${kube.server}` });
  return {
    hosts: hosts.items,
    clusters: clusters.items,
    readSecret: async (name) =>
      valuesOf(await kube.get<KubeSecret>({ apiVersion: "v1", kind: "Secret", name, namespace })),
    readConfigMap: async (name) =>
      textsOf(await kube.get<KubeConfigMap>({ apiVersion: "v1", kind: "ConfigMap", name, namespace })),
  };
}

function objectsIn(text: string, file: string): FleetObjects {
  const documents = parseAllDocuments(text);
  const [broken] = documents.flatMap(({ errors }) => errors);
  if (broken) throw objectsNotReadable({ file, why: broken.message });
  const objects = documents
    .map((document) => document.toJS() as KubeObject | null)
    .filter((each) => each !== null);
  const of = <T extends KubeObject>(kind: string): T[] => objects.filter((each) => each.kind === kind) as T[];
  if (of("SlipwayCluster").length === 0) throw noObjects({ where: `"${file}"` });
  return {
    hosts: of("SlipwayHosts"),
    clusters: of("SlipwayCluster"),
    readSecret: async (name) =>
      valuesOf(of<KubeSecret>("Secret").find(({ metadata }) => metadata.name === name)),
    readConfigMap: async (name) =>
      textsOf(of<KubeConfigMap>("ConfigMap").find(({ metadata }) => metadata.name === name)),
  };
}

function valuesOf(secret: (KubeSecret & { stringData?: Record<string, string> }) | undefined) {
  if (!secret) return undefined;
  return { ...decoded(secret.data, "base64"), ...decoded(secret.stringData, "utf8") };
}

const textsOf = (map: KubeConfigMap | undefined) =>
  map && { ...decoded(map.data, "utf8"), ...decoded(map.binaryData, "base64") };

const decoded = (values: Record<string, string> | undefined, encoding: BufferEncoding) =>
  Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [key, Buffer.from(value, encoding)]));
