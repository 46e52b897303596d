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
import { dnsmasqConf, talconfig, terraformText, type TalhelperNode } from "../exports/index.ts";
import { talosImage } from "../images/index.ts";
import type { OwnedMachine } from "../plan/index.ts";
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
import { noMachinesToExport, noSecretsYet, noTalosThere, noTerraformThere } from "./errors.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";
import { readContext } from "./planning/assemble.ts";
import { surveyMachines } from "./planning/survey-machines.ts";

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
    // talhelper has one list for all control planes.
    certSANs: [
      ...new Set(
        nodes.flatMap(({ node, intent }) => (node.role === "control-plane" ? (intent.certSANs ?? []) : [])),
      ),
    ],
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

/** The machines of the clusters as they are, for Terraform to import. Reads only. */
export async function exportTerraform(
  request: { fleet: Fleet; selection: Selection },
  world: World,
): Promise<ExportedFile[]> {
  const { parts, machines } = await surveyMachines(request, "export", world);
  const files = selectClusters(request.fleet, request.selection).map(async ({ name: cluster }) => {
    const here = machines.filter((machine) => machine.cluster === cluster);
    if (here.length === 0) throw noMachinesToExport(cluster);
    const known = here.filter(({ host }) => parts.provider.knowsTerraform(host));
    if (known.length === 0) throw noTerraformThere(cluster);
    const others = here.filter((machine) => !known.includes(machine)).map(({ node }) => node);
    const blocks = await parts.provider.terraform(readContext(world), byName(known));
    return [
      { cluster, name: "main.tf", text: terraformText(terraformHead(cluster, others), blocks) },
      // Terraform writes down what it was told, tokens among it.
      { cluster, name: ".gitignore", text: ".terraform/\n*.tfstate\n*.tfstate.*\n*.tfvars\n" },
    ];
  });
  return (await Promise.all(files)).flat();
}

const byName = (machines: OwnedMachine[]): OwnedMachine[] =>
  machines.toSorted((a, b) => a.node.localeCompare(b.node, "en", { numeric: true }));

const terraformHead = (cluster: string, others: string[]): string[] => [
  `The machines of cluster ${cluster} as they were found. "terraform plan" imports them and changes nothing.`,
  "What runs on them is not Terraform's: their configs and secrets are files of talosctl or K3s.",
  "From here on change them in one place: here, or with Slipway in the cluster file.",
  ...(others.length === 0 ? [] : [`Not in here, as no provider knows their host: ${others.join(", ")}.`]),
];
