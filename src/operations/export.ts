import { isIPv4 } from "node:net";
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
import { dnsmasqConf, talconfig, type TalhelperNode } from "../exports/index.ts";
import { talosImage } from "../images/index.ts";
import { secretStore, writeBundle, type Bundle } from "../secrets/index.ts";
import {
  hasKnownAddress,
  hasKnownMac,
  isTalos,
  talosOf,
  type Cluster,
  type Fleet,
  type Node,
  type SecretRef,
} from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { noSecretsYet, noTalosThere } from "./errors.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";

export interface ExportedFile {
  cluster: string;
  name: string;
  text: string;
}

/** The clusters as talhelper describes them: a talconfig.yaml and a talsecret.yaml each, which git is told to leave out. Reads only. */
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
      // The secrets are plain in it, and git would take them.
      { cluster: cluster.name, name: ".gitignore", text: "talsecret.yaml\n" },
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

/** Reservations for the nodes' addresses, a file for dnsmasq each. Nothing outside the cluster file is read. */
export const exportDnsmasq = (request: { fleet: Fleet; selection: Selection }): ExportedFile[] =>
  selectClusters(request.fleet, request.selection).map((cluster) => ({
    cluster: cluster.name,
    name: `${cluster.name}.conf`,
    text: dnsmasqConf(reservationsOf(cluster)),
  }));

function reservationsOf({ name, network, nodes }: Cluster) {
  const [base = ""] = network.cidr.split("/");
  return {
    name,
    base,
    netmask: netmaskOf(network.prefix),
    cidr: network.cidr,
    gateway: network.gateway,
    dns: network.dns,
    ntp: (network.ntp ?? []).filter(isIPv4),
    searchDomains: network.searchDomains ?? [],
    mtu: network.mtu,
    nodes: nodes.filter(hasKnownMac).map((node) => ({
      name: node.name,
      mac: node.mac,
      address: hasKnownAddress(node) ? node.address : undefined,
    })),
  };
}

const netmaskOf = (prefix: number): string =>
  [0, 8, 16, 24].map((bit) => 256 - 2 ** (8 - Math.min(8, Math.max(0, prefix - bit)))).join(".");
