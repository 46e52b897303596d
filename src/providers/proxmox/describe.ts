import path from "node:path";
import { schematicId, talosImage, type LocalImage, type TalosImage } from "../../images/index.ts";
import type { Graph, GraphNode, OwnedMachine, PlacedNode, Survey } from "../../plan/index.ts";
import type { Cluster, Host } from "../../spec/index.ts";
import type { ImageWant } from "./image.ts";
import type { SchematicWant } from "./image-schematic.ts";
import type { MachineKey, MachineWant } from "./machine-config.ts";
import { machineWant } from "./machine-want.ts";

const usualImageMs = 38_000;
const usualSchematicMs = 500;
const usualMachineMs = 10_000;
const usualRemovalMs = 3_000;

export const machineStep = (cluster: string, node: string): string => `${cluster}/machine/${node}`;
const imageStep = (cluster: string, host: string): string => `${cluster}/image/${host}`;

/** One image on each host in use, and the machines made from it. */
export function describeMachines(
  cluster: Cluster,
  placed: PlacedNode[],
  options: { canRegister: boolean; survey?: Survey },
): Graph {
  const hosts = hostsWithImage(placed, options.survey);
  const image = talosImage(cluster.distribution);
  const registration =
    options.canRegister && needsRegistration(image) ? [schematicNode(cluster, hosts, image)] : [];
  const before = registration.map((node) => node.id);
  return [
    ...registration,
    ...hosts.map((host) => imageNode(cluster, host, image, before)),
    ...placed.map((each) => machineNode(cluster, each, image)),
  ];
}

/** All in use, but for those that only took over machines made elsewhere: nothing is made from an image there. */
function hostsWithImage(placed: PlacedNode[], survey: Survey | undefined): Host[] {
  const hosts = [...new Map(placed.map(({ host }) => [host.name, host])).values()];
  const exists = (vmid: number): boolean =>
    survey?.machines.some((machine) => machine.vmid === vmid) ?? false;
  return hosts.filter(
    (host) =>
      survey?.images.some((image) => image.host === host.name) ||
      placed.some((each) => each.host === host && !exists(each.vmid)),
  );
}

/** The plain image is there for everybody; any other must have been described to the factory once. */
export const needsRegistration = (image: TalosImage): boolean =>
  image.schematic !== undefined && image.schematicId !== schematicId({});

function schematicNode(cluster: Cluster, hosts: Host[], image: TalosImage): GraphNode<SchematicWant> {
  return {
    id: `${cluster.name}/image/schematic`,
    kind: "factory/schematic",
    name: `schematic ${image.schematicId.slice(0, 12)}`,
    want: {
      factory: cluster.distribution.factory,
      id: image.schematicId,
      schematic: image.schematic ?? {},
      images: hosts.map((host) => ({
        host: host.name,
        storage: host.proxmox.storage.images,
        file: image.fileName,
      })),
    },
    after: [],
    group: "images",
    stage: "machines",
    cluster: cluster.name,
    usualMs: usualSchematicMs,
    facts: { schematic: image.schematicId.slice(0, 12) },
  };
}

function imageNode(cluster: Cluster, host: Host, image: TalosImage, after: string[]): GraphNode<ImageWant> {
  return {
    id: imageStep(cluster.name, host.name),
    kind: "proxmox/image",
    name: `image on ${host.name}`,
    want: {
      host: host.name,
      storage: host.proxmox.storage.images,
      file: image.fileName,
      url: image.url,
      ...(image.checksum && { checksum: image.checksum }),
      ...(image.local && { local: besideFile(image.local, cluster.at.file) }),
    },
    after,
    group: "images",
    stage: "machines",
    cluster: cluster.name,
    host: host.name,
    usualMs: usualImageMs,
    facts: {
      image: `Talos ${cluster.distribution.version}`,
      schematic: image.schematicId.slice(0, 12),
    },
  };
}

/** What the cluster file names stands relative to it. */
export function besideFile(local: LocalImage, clusterFile: string): LocalImage {
  const base = path.dirname(clusterFile);
  return "file" in local
    ? { file: path.resolve(base, local.file) }
    : { ...local, folder: path.resolve(base, local.folder) };
}

function machineNode(cluster: Cluster, placed: PlacedNode, image: TalosImage): GraphNode<MachineWant> {
  const { node, host, vmid } = placed;
  const want = machineWant(cluster, placed, image.fileName);
  return {
    id: machineStep(cluster.name, node.name),
    kind: "proxmox/machine",
    name: `machine ${node.name}`,
    want,
    after: [imageStep(cluster.name, host.name)],
    group: "nodes",
    stage: "machines",
    cluster: cluster.name,
    host: host.name,
    node: node.name,
    role: node.role,
    usualMs: usualMachineMs,
    facts: {
      cores: node.cores,
      memoryMiB: node.memoryMiB,
      diskGiB: node.diskGiB,
      ...dataFacts(node.dataDisks.map((disk) => disk.sizeGiB)),
      address: node.address,
      vmid,
      bridge: cluster.network.bridge,
      ...(cluster.network.vlan !== undefined && { vlan: cluster.network.vlan }),
    },
  };
}

/** `50 + 50`; a machine without data disks has nothing to say about them. */
const dataFacts = (sizesGiB: number[]): Record<string, string> =>
  sizesGiB.length === 0 ? {} : { dataGiB: sizesGiB.join(" + ") };

/** Removals. Machines are found again by VMID and mark, so little is said about them. */
export function describeLeftovers(
  survey: Survey,
  isUnwanted: (machine: OwnedMachine) => boolean,
  keepImages: Set<string>,
): Graph {
  const leaving = survey.machines.filter(isUnwanted);
  // Images belong to no cluster; they are told with the one that leaves.
  const clusters = new Set(leaving.map((machine) => machine.cluster));
  const [only] = clusters;
  const imageOwner = clusters.size === 1 && only !== undefined ? only : "shared";
  return [
    ...leaving.map(leavingMachine),
    ...survey.images
      .filter((image) => !keepImages.has(image.file))
      .map((image) => leavingImage(image, imageOwner)),
  ];
}

const leavingMachine = (machine: OwnedMachine): GraphNode<MachineKey> => ({
  id: machineStep(machine.cluster, machine.node),
  kind: "proxmox/machine",
  name: `machine ${machine.node}`,
  want: { host: machine.host, vmid: machine.vmid, cluster: machine.cluster, node: machine.node },
  after: [],
  group: "nodes",
  stage: "machines",
  cluster: machine.cluster,
  host: machine.host,
  node: machine.node,
  role: machine.role,
  usualMs: usualRemovalMs,
  facts: {
    cores: machine.cores,
    memoryMiB: machine.memoryMiB,
    ...dataFacts(machine.dataDisksGiB),
    vmid: machine.vmid,
  },
});

const leavingImage = (
  image: Survey["images"][number],
  cluster: string,
): GraphNode<Omit<ImageWant, "url">> => ({
  // A wanted image of the same host has the shorter id; both may stand in one plan.
  id: `${imageStep(cluster, image.host)}/${image.file}`,
  kind: "proxmox/image",
  name: `image on ${image.host}`,
  want: image,
  after: [],
  group: "images",
  stage: "machines",
  cluster,
  host: image.host,
  usualMs: usualRemovalMs,
  facts: { image: image.file },
});
