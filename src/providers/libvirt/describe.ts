import path from "node:path";
import {
  machineImage,
  schematicId,
  schematicYaml,
  type LocalImage,
  type MachineImage,
} from "../../images/index.ts";
import {
  dataFacts,
  type Graph,
  type GraphNode,
  type MachineNeeds,
  type PlacedNode,
  type StepId,
} from "../../plan/index.ts";
import { hasKnownAddress, type Cluster, type LibvirtHost } from "../../spec/index.ts";
import { configSeedNode } from "./config-seed.ts";
import { originUnsupported } from "./errors.ts";
import type { ImageWant } from "./image.ts";
import { machineWant, type MachineWant } from "./machine-want.ts";
import { describeNetwork } from "./network-want.ts";
import { describePool } from "./pool.ts";

const usualImageMs = 38_000;
const usualMachineMs = 4_000;

export const machineStep = (cluster: string, node: string): StepId => `${cluster}/machine/${node}`;
export const imageStep = (cluster: string, host: string): StepId => `${cluster}/image/${host}`;

/** What the machines of a cluster stand on, and the machines. */
export function describeMachines(
  cluster: Cluster,
  placed: PlacedNode<LibvirtHost>[],
  needs: Pick<MachineNeeds, "installedStep" | "seedStep">,
): Graph {
  const { kind } = cluster.origin;
  // A clone of the image is what a template would be for: it shares its blocks.
  if (kind !== "image" && kind !== "template") throw originUnsupported({ cluster: cluster.name, kind });
  const hosts = [...new Map(placed.map(({ host }) => [host.name, host])).values()];
  const image = machineImage(cluster);
  const pools = hosts.flatMap((host) => describePool(cluster.name, host));
  const networks = describeNetwork(cluster, hosts);
  const idsOn = (nodes: Graph, host: LibvirtHost): StepId[] =>
    nodes.filter((node) => node.host === host.name).map((node) => node.id);
  return [
    ...pools,
    ...networks,
    ...hosts.map((host) => imageNode(cluster, host, image, idsOn(pools, host))),
    ...placed.flatMap((each): Graph => {
      const machine = machineNode(cluster, each, image, [
        ...idsOn(networks, each.host),
        imageStep(cluster.name, each.host.name),
        ...(needs.seedStep === undefined ? [] : [needs.seedStep]),
      ]);
      return machine.want.hasConfigSeed
        ? [machine, configSeedNode(machine, needs.installedStep(each.node.name))]
        : [machine];
    }),
  ];
}

function imageNode(
  cluster: Cluster,
  host: LibvirtHost,
  image: MachineImage,
  after: StepId[],
): GraphNode<ImageWant> {
  const { build } = image;
  const isPlainBuild = build?.schematicId === schematicId({});
  return {
    id: imageStep(cluster.name, host.name),
    kind: "libvirt/image",
    name: `image on ${host.name}`,
    want: {
      host: host.name,
      storage: host.libvirt.pool.name,
      file: image.fileName,
      url: image.url,
      ...(image.checksum && { checksum: image.checksum }),
      ...(image.local && { local: besideFile(image.local, cluster.at.file) }),
      ...(build &&
        !isPlainBuild && {
          schematic: {
            factory: build.factory,
            id: build.schematicId,
            text: schematicYaml(build.schematic),
          },
        }),
    },
    after,
    group: "images",
    stage: "machines",
    cluster: cluster.name,
    host: host.name,
    usualMs: usualImageMs,
    facts: { image: image.title, ...(build && { schematic: build.schematicId.slice(0, 12) }) },
  };
}

/** What the cluster file names stands relative to it. */
export function besideFile(local: LocalImage, clusterFile: string): LocalImage {
  const base = path.dirname(clusterFile);
  return "file" in local
    ? { file: path.resolve(base, local.file) }
    : { ...local, folder: path.resolve(base, local.folder) };
}

function machineNode(
  cluster: Cluster,
  placed: PlacedNode<LibvirtHost>,
  image: MachineImage,
  after: StepId[],
): GraphNode<MachineWant> {
  const { node, host } = placed;
  const want = machineWant(cluster, placed, image.fileName);
  const [card] = want.cards;
  return {
    id: machineStep(cluster.name, node.name),
    kind: "libvirt/machine",
    name: `machine ${node.name}`,
    want,
    after,
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
      address: hasKnownAddress(node) ? node.address : "from DHCP",
      ...(card && { [card.kind]: card.source }),
      ...(card?.vlan !== undefined && { vlan: card.vlan }),
    },
  };
}
