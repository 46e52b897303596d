import path from "node:path";
import {
  encodeMachineConfig,
  intentFor,
  readPatchFiles,
  remainderPatches,
  secretsIn,
  withSecrets,
  type ConfigPatch,
  type MachineConfigDocument,
  type MachineIntent,
} from "../distros/talos/index.ts";
import { talconfig, type TalhelperNode } from "../exports/index.ts";
import { talosImage } from "../images/index.ts";
import { secretStore, writeBundle, type Bundle } from "../secrets/index.ts";
import { type Cluster, type Fleet, type Node, type SecretRef, isTalos, talosOf } from "../spec/index.ts";
import type { World } from "../world.ts";
import { noSecretsYet, noTalosThere } from "./errors.ts";
import { selectClusters, type Selection } from "./select.ts";

export interface ExportedFile {
  cluster: string;
  name: string;
  text: string;
}

/** The clusters as talhelper describes them: a talconfig.yaml and a talsecret.yaml each. Reads only. */
export async function exportTalhelper(
  request: { fleet: Fleet; selection: Selection },
  world: Pick<World, "folder" | "secretFiles" | "wall" | "random">,
): Promise<ExportedFile[]> {
  const store = secretStore({
    folder: world.folder,
    files: world.secretFiles,
    clock: world.wall,
    random: world.random,
  });
  const files = selectClusters(request.fleet, request.selection).map(async (cluster) => {
    if (!isTalos(cluster)) throw noTalosThere(cluster.name);
    const bundle = await store.find(cluster.name);
    if (!bundle) throw noSecretsYet(cluster.name);
    return [
      { cluster: cluster.name, name: "talconfig.yaml", text: await talconfigOf(cluster, bundle) },
      { cluster: cluster.name, name: "talsecret.yaml", text: writeBundle(bundle) },
    ];
  });
  return (await Promise.all(files)).flat();
}

async function talconfigOf(cluster: Cluster, bundle: Bundle): Promise<string> {
  const patchFiles = await readPatchFiles(cluster, path.dirname(cluster.at.file));
  const nodes = cluster.nodes.map((node) => ({
    node,
    intent: withEnvironment(intentFor(cluster, node, patchFiles)),
  }));
  const [first] = nodes;
  const distribution = talosOf(cluster);
  const image = talosImage(distribution);
  const shared = (first?.intent.patches ?? []).slice(0, cluster.patches.length);
  const { cni, isSchedulingOnControlPlanes } = first?.intent.cluster ?? {};
  return talconfig({
    name: cluster.name,
    endpoint: cluster.endpoint,
    talos: distribution.version,
    kubernetes: cluster.kubernetes,
    dnsDomain: cluster.network.dnsDomain,
    podSubnets: cluster.network.podSubnets,
    serviceSubnets: cluster.network.serviceSubnets,
    hasOwnCni: cni === "none",
    isSchedulingOnControlPlanes,
    certSANs: nodes.find(({ node }) => node.role === "control-plane")?.intent.certSANs ?? [],
    installer: image.installer.replace(/:[^:/]+$/, ""),
    schematic: image.schematic,
    architecture: distribution.architecture,
    isSecureBoot: distribution.isSecureBoot,
    factory: distribution.factory,
    patches: shared.map(patchText),
    nodes: nodes.map(({ node, intent }) => nodeOf(cluster, node, intent, bundle)),
  });
}

const nodeOf = (cluster: Cluster, node: Node, intent: MachineIntent, bundle: Bundle): TalhelperNode => ({
  name: node.name,
  address: node.address,
  isControlPlane: node.role === "control-plane",
  hasForeignName: intent.hostname === undefined,
  installDisk:
    typeof intent.install?.disk === "object" ? { ...intent.install.disk } : (intent.install?.disk ?? ""),
  links: intent.network?.links ?? [],
  nameservers: intent.network?.dns ?? [],
  labels: intent.labels ?? {},
  annotations: intent.annotations ?? {},
  taints: intent.taints ?? {},
  patches: [
    ...remainderPatches(intent, bundle),
    ...(intent.patches ?? []).slice(cluster.patches.length).map(patchText),
  ],
});

/** talhelper fills `${NAME}` from the environment, so what stands so in a patch already must not look like it. */
const patchText = ({ text, documents }: ConfigPatch): string =>
  (text ?? encodeMachineConfig(documents as MachineConfigDocument[])).replaceAll("${", () => "$${");

/** Secrets that the cluster file only refers to stay outside: talhelper takes them from the environment. */
function withEnvironment(intent: MachineIntent): MachineIntent {
  const values = secretsIn(intent).map(({ key, ref }) => [key, `\${${variableOf(ref)}}`] as const);
  return withSecrets(intent, new Map(values));
}

function nameOf(ref: Exclude<SecretRef, { env: string }>): string {
  if ("file" in ref) return ref.file;
  if ("age" in ref) return ref.age;
  return "sops" in ref ? ref.sops.key : ref.command.join("_");
}

function variableOf(ref: SecretRef): string {
  if ("env" in ref) return ref.env;
  return nameOf(ref)
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_|_$/g, "")
    .toUpperCase();
}
