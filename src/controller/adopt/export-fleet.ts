import path from "node:path";
import { stringify } from "yaml";
import { onInYaml11, type SecretKeyRef, type SlipwayCluster, type SlipwayHosts } from "../objects/index.ts";
import { documentSourceOf, fileBelow, fileOfKey, sealedKey, secretNameOf } from "../reconcile/index.ts";
import { exportDocumentsMissing, exportRefMissing } from "./errors.ts";
import { placesOfFile, type Replace, type ReplacePlaces } from "./secret-places.ts";

/** What the API server, or a file of documents, holds. */
export interface FleetObjects {
  hosts: readonly SlipwayHosts[];
  clusters: readonly SlipwayCluster[];
  /** The values of a Secret by key; undefined: there is none. */
  readSecret(name: string): Promise<Record<string, Buffer> | undefined>;
  readConfigMap(name: string): Promise<Record<string, Buffer> | undefined>;
}

export interface ExportedFile {
  /** Below the folder that is written to. */
  path: string;
  bytes: Buffer;
  /** Of a cluster file: the clusters in it. */
  clusters?: string[];
}

/**
 * Objects of the controller as cluster files, one for each SlipwayHosts, with all that the command line needs to go on with
 * them: values of Secrets below `secrets/`, and the clusters' own secrets below `.slipway/`.
 */
export async function exportFleet(objects: FleetObjects): Promise<ExportedFile[]> {
  const used = new Map<string, Buffer>();
  const replacePlaces = placesOfFile();
  const files = await Promise.all(
    objects.hosts
      .filter(({ metadata }) => objects.clusters.some(({ spec }) => spec.hosts === metadata.name))
      .map((hosts) => clusterFile(hosts, objects, used, replacePlaces)),
  );
  const own = await Promise.all(objects.clusters.map((cluster) => filesOf(cluster, objects)));
  const values = [...used]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, bytes]) => ({ path: name, bytes }));
  // Neither of the two belongs in git as it is.
  const hidden = [...(values.length > 0 ? ["secrets"] : []), ...(own.flat().length > 0 ? [".slipway"] : [])];
  return [
    ...files,
    ...hidden.map((folder) => ({ path: `${folder}/.gitignore`, bytes: Buffer.from("*\n") })),
    ...values,
    ...own.flat(),
  ];
}

async function clusterFile(
  { metadata, spec }: SlipwayHosts,
  objects: FleetObjects,
  used: Map<string, Buffer>,
  replacePlaces: ReplacePlaces,
): Promise<ExportedFile> {
  const own = objects.clusters.filter((cluster) => cluster.spec.hosts === metadata.name);
  const [hosts, clusters] = await Promise.all([
    Promise.all(
      Object.entries(spec.hosts).map(async ([host, part]) => [
        host,
        await replacePlaces("host", part, naming(`host "${host}"`, objects, used)),
      ]),
    ),
    Promise.all(
      own.map(async (cluster) => {
        const { name } = cluster.metadata;
        const replace = naming(`cluster "${name}"`, objects, used);
        return [name, await replacePlaces("cluster", withOn(cluster.spec.cluster), replace)];
      }),
    ),
  ]);
  const written = {
    version: 1,
    hosts: Object.fromEntries(hosts) as unknown,
    clusters: Object.fromEntries(clusters) as unknown,
  };
  return {
    path: `${metadata.name}.yaml`,
    bytes: Buffer.from(stringify(written, { lineWidth: 0, aliasDuplicateObjects: false })),
    clusters: own.map((cluster) => cluster.metadata.name),
  };
}

/** As a cluster file spells it, where whoever wrote the object forgot the quotes. */
function withOn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withOn);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key === onInYaml11 ? "on" : key, withOn(part)]),
  );
}

/** Names the file that the value of a Secret is written to. */
const naming =
  (object: string, { readSecret }: FleetObjects, used: Map<string, Buffer>): Replace =>
  async (kind, value, at) => {
    if (!isRef(value)) return undefined;
    const { name, key } = value.secret;
    const found = (await readSecret(name))?.[key];
    if (found === undefined) throw exportRefMissing({ object, path: at.join("."), name, key });
    const file = fileBelow("secrets", path.posix.join(name, key));
    used.set(file, found);
    return kind === "secret" ? { file: `./${file}` } : `./${file}`;
  };

/** The secrets that the cluster runs with, where the command line looks for them. */
async function filesOf(cluster: SlipwayCluster, objects: FleetObjects): Promise<ExportedFile[]> {
  const held = (await objects.readSecret(secretNameOf(cluster))) ?? {};
  const found = { ...held, ...(await documentsOf(cluster, objects)) };
  const folder = path.posix.join(".slipway", cluster.metadata.name);
  return Object.entries(found)
    .filter(([key]) => key !== sealedKey)
    .map(([key, bytes]) => ({ path: fileOfKey(folder, key), bytes }));
}

/** Encrypted as they are. What the controller has sealed beside them is made again from them. */
async function documentsOf(
  cluster: SlipwayCluster,
  { readSecret, readConfigMap }: FleetObjects,
): Promise<Record<string, Buffer>> {
  const source = documentSourceOf(cluster);
  if (!source) return {};
  const found = await (source.kind === "Secret" ? readSecret(source.name) : readConfigMap(source.name));
  if (!found) throw exportDocumentsMissing({ cluster: cluster.metadata.name, ...source });
  return found;
}

const isRef = (value: unknown): value is SecretKeyRef =>
  typeof value === "object" && value !== null && Object.keys(value).join() === "secret";
