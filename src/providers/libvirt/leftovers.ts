import {
  dataFacts,
  leftoverImage,
  leftoverMachine,
  ownerOfShared,
  type RemovalScope,
  type Graph,
  type GraphNode,
  type OwnedMachine,
  type KeptDisksHolder,
  type StepId,
  type Survey,
  type ReadContext,
} from "../../plan/index.ts";
import type { LibvirtHost } from "../../spec/index.ts";
import type { ImageKey } from "./image/image.ts";
import type { KeptDisksKey } from "./disks/kept-disks.ts";
import type { MachineKey } from "./machine/machine-want.ts";
import { halfNode, type Half } from "./move/halves.ts";
import { describeLeftoverNetworks, type NetworkKey } from "./network/network-want.ts";
import { describeLeftoverPool } from "./pool/pool.ts";
import type { LibvirtClient } from "../../clients/libvirt/index.ts";
import { placesOn } from "./machine/find-machine.ts";
import type { HostRegistry } from "./host-registry.ts";
import { consoleVolume, isSeedOf, machineUuid, readDataVolume, systemVolume } from "./names.ts";
import { volumesIn } from "./pool/open-pool.ts";

const usualRemovalMs = 1_000;

interface LeftoversView {
  survey: Survey;
  isUnwanted: (machine: OwnedMachine) => boolean;
  keepImages: Set<string>;
  removalScope: RemovalScope;
  /** Networks of ours on these hosts. */
  networks: NetworkKey[];
  /** What moves that were cut have left on them. */
  halves: Half[];
  hosts: LibvirtHost[];
}

/** Removals. What was made from a thing goes before it: machines, then what they stand on, then its pool. */
export function describeLeftovers(view: LeftoversView): Graph {
  const { survey, isUnwanted, keepImages, removalScope, networks, hosts } = view;
  const halves = view.halves
    .filter((half) => removalScope.clusters.includes(half.cluster) && (half.isWaste || isUnwanted(half)))
    .map(halfNode);
  const removed = survey.machines
    .filter(isUnwanted)
    .toSorted((a, b) => a.node.localeCompare(b.node))
    .map((machine) => removedMachine(machine, removalScope.losesData));
  const disks = survey.keptDisksHolders
    .filter(({ cluster }) => removalScope.clusters.includes(cluster) && removalScope.losesData)
    .map((holder) => leftoverDisks(holder, survey));
  const machines = [...removed, ...halves];
  const owner = ownerOfShared([...machines, ...disks], removalScope.clusters);
  const before = machines.map((node) => node.id);
  const images = survey.images
    .filter((image) => !keepImages.has(image.file))
    .map((want) =>
      leftoverImage<ImageKey>(owner, {
        kind: "libvirt/image",
        name: `image on ${want.host}`,
        want,
        after: before,
        usualMs: usualRemovalMs,
      }),
    );
  const gone = removalScope.areLeftovers
    ? networks.filter(({ cluster }) => removalScope.clusters.includes(cluster))
    : [];
  const first = [...machines, ...disks, ...images];
  return [
    ...first,
    ...describeLeftoverNetworks(gone, before),
    ...(removalScope.areLeftovers
      ? leftoverPools(
          view,
          owner,
          hosts,
          first.map((node) => node.id),
        )
      : []),
  ];
}

/** A pool stays while anything of ours is to stay in it: an image, with whatever stands on it, or a disk that was kept. */
function leftoverPools(
  { survey, isUnwanted, keepImages, removalScope }: LeftoversView,
  owner: string,
  hosts: LibvirtHost[],
  after: StepId[],
): Graph {
  const needed = new Set([
    ...keepImages,
    ...survey.machines.filter((machine) => !isUnwanted(machine)).map((machine) => machine.image),
  ]);
  const isLost = ({ cluster }: KeptDisksHolder): boolean =>
    removalScope.losesData && removalScope.clusters.includes(cluster);
  const isUsed = (name: string): boolean =>
    survey.images.some(({ host, file }) => host === name && needed.has(file)) ||
    survey.keptDisksHolders.some((holder) => holder.host === name && !isLost(holder));
  return hosts
    .filter(({ name }) => !isUsed(name))
    .flatMap((host) => describeLeftoverPool(owner, host, after));
}

const removedMachine = (machine: OwnedMachine, losesData: boolean): GraphNode<MachineKey> =>
  leftoverMachine(machine, losesData, (kept) => ({ keptDisks: kept.map((disk) => disk.volume).join(", ") }), {
    kind: "libvirt/machine",
    want: {
      host: machine.host,
      cluster: machine.cluster,
      node: machine.node,
      losesData: losesData ? true : undefined,
    },
    usualMs: usualRemovalMs,
  });

function leftoverDisks({ cluster, host }: KeptDisksHolder, survey: Survey): GraphNode<KeptDisksKey> {
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

/** Looks for what a removal may leave behind of machines that are gone. */
export async function findLeftovers(
  ctx: ReadContext,
  registry: HostRegistry,
  nodes: GraphNode[],
): Promise<string[]> {
  const removed = nodes
    .filter(({ kind }) => kind === "libvirt/machine")
    .map(({ want }) => want as MachineKey);
  const hosts = [...new Set(removed.map(({ host }) => host))];
  const found = hosts.map(async (host) => {
    const gone = removed.filter((key) => key.host === host);
    return findLeftoversOn(ctx, await registry.client(host), host, gone);
  });
  return (await Promise.all(found)).flat();
}

async function findLeftoversOn(
  ctx: ReadContext,
  client: LibvirtClient,
  host: string,
  gone: MachineKey[],
): Promise<string[]> {
  const places = Object.values(await placesOn(client, ctx.signal));
  const volumes = await Promise.all(places.map((place) => volumesIn(client, place, ctx.signal)));
  const uuids = new Set(gone.map(({ cluster, node }) => machineUuid(cluster, node)));
  const machines = (await client.domains(ctx.signal)).filter(({ uuid }) => uuids.has(uuid));
  return [
    ...machines.map(({ name }) => `machine ${name} on ${host}`),
    ...volumes
      .flatMap((each) => [...each.keys()])
      .filter((name) => gone.some((key) => isOf(key, name)))
      .map((name) => `volume ${name} on ${host}`),
  ];
}

/** Data that was kept is no remainder. */
function isOf({ cluster, node, losesData }: MachineKey, name: string): boolean {
  const data = readDataVolume(name);
  return (
    name === systemVolume(cluster, node, "qcow2") ||
    name === systemVolume(cluster, node, "raw") ||
    name === consoleVolume(cluster, node) ||
    isSeedOf(cluster, node, name) ||
    (losesData === true && data?.cluster === cluster && data.node === node)
  );
}
