import {
  dataFacts,
  leavingData,
  ownerOfShared,
  type Fate,
  type Graph,
  type GraphNode,
  type OwnedMachine,
  type OwnedShelf,
  type StepId,
  type Survey,
} from "../../plan/index.ts";
import type { LibvirtHost } from "../../spec/index.ts";
import { imageStep, machineStep } from "./describe.ts";
import type { ImageKey } from "./image.ts";
import type { KeptDisksKey } from "./kept-disks.ts";
import type { MachineKey } from "./machine-want.ts";
import { describeLeavingNetworks, type NetworkKey } from "./network-want.ts";
import { describeLeavingPool } from "./pool.ts";

const usualRemovalMs = 1_000;

export interface LeavingView {
  survey: Survey;
  isUnwanted: (machine: OwnedMachine) => boolean;
  keepImages: Set<string>;
  fate: Fate;
  /** Networks of ours on these hosts. */
  networks: NetworkKey[];
  hosts: LibvirtHost[];
}

/** Removals. What was made from a thing goes before it: machines, then what they stand on, then its pool. */
export function describeLeftovers(view: LeavingView): Graph {
  const { survey, isUnwanted, keepImages, fate, networks, hosts } = view;
  const machines = survey.machines
    .filter(isUnwanted)
    .toSorted((a, b) => a.node.localeCompare(b.node))
    .map((machine) => leavingMachine(machine, fate.losesData));
  const disks = survey.shelves
    .filter((shelf) => fate.clusters.includes(shelf.cluster) && fate.losesData)
    .map((shelf) => leavingDisks(shelf, survey));
  const owner = ownerOfShared([...machines, ...disks], fate.clusters);
  const before = machines.map((node) => node.id);
  const images = survey.images
    .filter((image) => !keepImages.has(image.file))
    .map((image) => leavingImage(image, owner, before));
  const gone = fate.areLeaving ? networks.filter(({ cluster }) => fate.clusters.includes(cluster)) : [];
  const first = [...machines, ...disks, ...images];
  return [
    ...first,
    ...describeLeavingNetworks(gone, before),
    ...(fate.areLeaving
      ? leavingPools(
          view,
          owner,
          hosts,
          first.map((node) => node.id),
        )
      : []),
  ];
}

/** A pool stays while anything of ours is to stay in it: an image, with whatever stands on it, or a disk that was kept. */
function leavingPools(
  { survey, isUnwanted, keepImages, fate }: LeavingView,
  owner: string,
  hosts: LibvirtHost[],
  after: StepId[],
): Graph {
  const needed = new Set([
    ...keepImages,
    ...survey.machines.filter((machine) => !isUnwanted(machine)).map((machine) => machine.image),
  ]);
  const isLost = (shelf: OwnedShelf): boolean => fate.losesData && fate.clusters.includes(shelf.cluster);
  const isUsed = (name: string): boolean =>
    survey.images.some(({ host, file }) => host === name && needed.has(file)) ||
    survey.shelves.some((shelf) => shelf.host === name && !isLost(shelf));
  return hosts.filter(({ name }) => !isUsed(name)).flatMap((host) => describeLeavingPool(owner, host, after));
}

function leavingMachine(machine: OwnedMachine, losesData: boolean): GraphNode<MachineKey> {
  const { cluster, node, host } = machine;
  const { facts, ...keeps } = leavingData(machine, losesData, (kept) => ({
    keptDisks: kept.map((disk) => disk.volume).join(", "),
  }));
  return {
    id: machineStep(cluster, node),
    kind: "libvirt/machine",
    name: `machine ${node}`,
    want: { host, cluster, node, ...(losesData && { losesData }) },
    after: [],
    group: "nodes",
    stage: "machines",
    cluster,
    host,
    node,
    role: machine.role,
    usualMs: usualRemovalMs,
    facts: {
      cores: machine.cores,
      memoryMiB: machine.memoryMiB,
      ...dataFacts(machine.dataDisksGiB),
      ...facts,
    },
    ...keeps,
  };
}

function leavingDisks({ cluster, host }: OwnedShelf, survey: Survey): GraphNode<KeptDisksKey> {
  const disks = survey.keptDisks.filter((disk) => disk.cluster === cluster && disk.host === host);
  return {
    id: `${cluster}/kept-disks/${host}`,
    kind: "libvirt/kept-disks",
    name: `kept disks on ${host}`,
    want: { cluster, host },
    after: [],
    group: "nodes",
    stage: "machines",
    cluster,
    host,
    usualMs: usualRemovalMs,
    facts: { ...dataFacts(disks.map((disk) => disk.sizeGiB)), lostDisks: disks.length },
  };
}

const leavingImage = (image: ImageKey, cluster: string, after: StepId[]): GraphNode<ImageKey> => ({
  // A wanted image of the same host has the shorter id; both may stand in one plan.
  id: `${imageStep(cluster, image.host)}/${image.file}`,
  kind: "libvirt/image",
  name: `image on ${image.host}`,
  want: image,
  after,
  group: "images",
  stage: "machines",
  cluster,
  host: image.host,
  usualMs: usualRemovalMs,
  facts: { image: image.file },
});
