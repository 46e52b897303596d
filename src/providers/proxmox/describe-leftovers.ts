import {
  dataFacts,
  leavingData,
  ownerOfShared,
  type Fate,
  type Graph,
  type GraphNode,
  type OwnedMachine,
  type OwnedShelf,
  type Survey,
} from "../../plan/index.ts";
import { machineStep } from "./describe.ts";
import { imageStep } from "./describe-images.ts";
import type { ImageWant } from "./image.ts";
import { isIso } from "./image-volume.ts";
import type { MachineKey } from "./machine-config.ts";
import { shelfName } from "./shelf-mark.ts";
import type { ShelfKey } from "./shelf-resource.ts";

const usualRemovalMs = 3_000;

/**
 * Removals. Machines are found again by VMID and mark, so little is said about them. What was made from a thing goes
 * before it: machines, then their images.
 */
export function describeLeftovers(
  survey: Survey,
  isUnwanted: (machine: OwnedMachine) => boolean,
  keepImages: Set<string>,
  fate: Fate = { losesData: false, clusters: [] },
): Graph {
  const machines = survey.machines
    .filter(isUnwanted)
    .toSorted((a, b) => a.vmid - b.vmid)
    .map((machine) => leavingMachine(machine, fate.losesData));
  const shelves = survey.shelves
    .filter((shelf) => fate.clusters.includes(shelf.cluster) && (fate.losesData || shelf.isEmpty))
    .map((shelf) => leavingShelf(shelf, survey, fate.losesData));
  const owner = ownerOfShared([...machines, ...shelves], fate.clusters);
  const before = machines.map((node) => node.id);
  const images = survey.images
    .filter((image) => !keepImages.has(image.file))
    .map((image) => leavingImage(image, owner, before));
  return [...machines, ...shelves, ...images];
}

function leavingMachine(machine: OwnedMachine, losesData: boolean): GraphNode<MachineKey> {
  const { cluster, node, host, vmid } = machine;
  const { facts, ...keeps } = leavingData(machine, losesData, () => ({ keptIn: shelfName(cluster) }));
  return {
    id: machineStep(cluster, node),
    kind: "proxmox/machine",
    name: `machine ${node}`,
    want: { host, vmid, cluster, node, ...(losesData && { losesData }) },
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
      vmid,
      ...facts,
    },
    ...keeps,
  };
}

function leavingShelf(shelf: OwnedShelf, survey: Survey, losesData: boolean): GraphNode<ShelfKey> {
  const { cluster, host, on, vmid } = shelf;
  const disks = survey.keptDisks.filter((disk) => disk.cluster === cluster && disk.shelf === vmid);
  return {
    id: `${cluster}/shelf/${on}-${vmid}`,
    kind: "proxmox/shelf",
    name: `shelf ${vmid} on ${on}`,
    want: { cluster, host, on, vmid, ...(losesData && { losesData }) },
    after: [],
    group: "nodes",
    stage: "machines",
    cluster,
    host,
    usualMs: usualRemovalMs,
    facts: {
      vmid,
      ...dataFacts(disks.map((disk) => disk.sizeGiB)),
      ...(disks.length > 0 && { lostDisks: disks.length }),
    },
  };
}

const leavingImage = (
  image: Survey["images"][number],
  cluster: string,
  after: string[],
): GraphNode<Omit<ImageWant, "url">> => ({
  // A wanted image of the same host has the shorter id; both may stand in one plan.
  id: `${imageStep(cluster, image.host)}/${image.file}`,
  kind: "proxmox/image",
  name: `${isIso(image.file) ? "ISO" : "image"} on ${image.host}`,
  want: image,
  after,
  group: "images",
  stage: "machines",
  cluster,
  host: image.host,
  usualMs: usualRemovalMs,
  facts: { image: image.file },
});
