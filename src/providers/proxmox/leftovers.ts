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
  type Survey,
  type ReadContext,
} from "../../plan/index.ts";
import { reservedVmids } from "./machine/describe-machines.ts";
import { type ImageWant, isIso } from "./image/image-volume.ts";
import { type MachineKey, machineKeyOf, vmidOf } from "./machine/machine-want.ts";
import { keptDisksName } from "./disks/kept-disks-mark.ts";
import type { KeptDisksKey } from "./disks/kept-disks.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { ProxmoxHost } from "../../spec/index.ts";
import { groupByServer, type HostRegistry } from "./host-registry.ts";

const usualRemovalMs = 3_000;

/**
 * Removals. Machines are found again by VMID and mark, so little is said about them. What was made from a thing goes
 * before it: machines, then their images.
 */
export function describeLeftovers(
  survey: Survey,
  isUnwanted: (machine: OwnedMachine) => boolean,
  keepImages: Set<string>,
  removalScope: RemovalScope = { losesData: false, clusters: [] },
  planned: Graph = [],
): Graph {
  const reserved = reservedVmids(planned.flatMap(({ want }) => (want as { vmid?: number }).vmid ?? []));
  const machines = survey.machines
    .filter(isUnwanted)
    .toSorted((a, b) => vmidOf(a) - vmidOf(b))
    .map((machine) => removedMachine(machine, removalScope.losesData, reserved));
  const holders = survey.keptDisksHolders
    .filter(
      ({ cluster, isEmpty }) =>
        removalScope.clusters.includes(cluster) && (removalScope.losesData || isEmpty),
    )
    .map((holder) => leftoverKeptDisks(holder, survey, removalScope.losesData));
  const owner = ownerOfShared([...machines, ...holders], removalScope.clusters);
  const before = machines.map((node) => node.id);
  const images = survey.images
    .filter((image) => !keepImages.has(image.file))
    .map((want) =>
      leftoverImage<Omit<ImageWant, "url">>(owner, {
        kind: "proxmox/image",
        name: `${isIso(want.file) ? "ISO" : "image"} on ${want.host}`,
        want,
        after: before,
        usualMs: usualRemovalMs,
      }),
    );
  return [...machines, ...holders, ...images];
}

function removedMachine(
  machine: OwnedMachine,
  losesData: boolean,
  reserved: Pick<MachineKey, "reservedVmids">,
): GraphNode<MachineKey> {
  const key = machineKeyOf(machine);
  return leftoverMachine(machine, losesData, () => ({ keptIn: keptDisksName(key.cluster) }), {
    kind: "proxmox/machine",
    want: { ...key, ...(losesData ? { losesData } : reserved) },
    usualMs: usualRemovalMs,
    facts: { vmid: key.vmid },
  });
}

function leftoverKeptDisks(
  holder: KeptDisksHolder,
  survey: Survey,
  losesData: boolean,
): GraphNode<KeptDisksKey> {
  const { cluster, host, on } = holder;
  const vmid = vmidOf(holder);
  const disks = survey.keptDisks.filter((disk) => disk.cluster === cluster && disk.holder === vmid);
  return {
    id: `${cluster}/shelf/${on}-${vmid}`,
    kind: "proxmox/shelf",
    name: `kept disks on ${on} (VMID ${vmid})`,
    want: { cluster, host, on, vmid, losesData: losesData || undefined },
    after: [],
    group: "nodes",
    stage: "machines",
    cluster,
    host,
    usualMs: usualRemovalMs,
    facts: {
      vmid,
      ...dataFacts(disks.map((disk) => disk.sizeGiB)),
      lostDisks: disks.length || undefined,
    },
  };
}

/** Looks for what a removal may leave behind under the numbers of machines that are gone. */
export async function findLeftovers(
  ctx: ReadContext,
  registry: HostRegistry,
  hosts: ProxmoxHost[],
  nodes: GraphNode[],
): Promise<string[]> {
  const removed = nodes.flatMap(({ want }) => numbered(want));
  if (removed.length === 0) return [];
  const found = groupByServer(hosts).map(async (group) => {
    const [first] = group;
    if (!first) return [];
    const client = await registry.client(first.name);
    const names = new Set(group.map((host) => host.name));
    const used = new Set((await client.guests(ctx.signal)).map((guest) => guest.vmid));
    // A number that was taken since belongs to others, with all that has it.
    const gone = new Set(
      removed.filter(({ host, vmid }) => names.has(host) && !used.has(vmid)).map(({ vmid }) => vmid),
    );
    const places = [...new Set(group.map((host) => host.proxmox.node))];
    return [
      ...(await unlessRefused(async () => {
        const managed = await client.haMachines(ctx.signal);
        return managed.filter((vmid) => gone.has(vmid)).map((vmid) => `HA resource vm:${vmid}`);
      })),
      ...(await Promise.all(places.map((node) => disksOn(ctx, client, node, gone)))).flat(),
    ];
  });
  return [...new Set((await Promise.all(found)).flat())];
}

/** Machines, templates and what holds kept disks: whatever stood under a number. */
function numbered(want: unknown): { host: string; vmid: number }[] {
  const { host, vmid } = want as { host?: string; vmid?: number };
  return host !== undefined && vmid !== undefined ? [{ host, vmid }] : [];
}

async function disksOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  gone: Set<number>,
): Promise<string[]> {
  const storages = await unlessRefused(() => client.storages(node, ctx.signal));
  const volumes = storages
    .filter((storage) => storage.isActive && storage.content.includes("images"))
    .map((storage) => unlessRefused(() => client.storageContent(node, storage.name, "images", ctx.signal)));
  return (await Promise.all(volumes))
    .flat()
    .filter((volume) => volume.vmid !== undefined && gone.has(volume.vmid))
    .map((volume) => `disk ${volume.volume} on ${node}`);
}

/** Not every token may look everywhere; what it may not see, it did not make. */
async function unlessRefused<T>(read: () => Promise<T[]>): Promise<T[]> {
  try {
    return await read();
  } catch (thrown) {
    if (
      thrown instanceof SlipwayError &&
      ["PVE_FORBIDDEN", "PVE_NOT_FOUND", "PVE_REFUSED"].includes(thrown.code)
    )
      return [];
    throw thrown;
  }
}
