import type { MachineSummary, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { OwnedMachine, ReadContext } from "../../../plan/index.ts";
import type { ProxmoxHost } from "../../../spec/index.ts";
import { detachedData } from "../disks/detached-disks.ts";
import { keptDisks } from "../disks/kept-disks.ts";
import { slotNumber } from "../disks/machine-disks.ts";
import type { HostRegistry } from "../host-registry.ts";
import { readMachine } from "../machine/machine-config.ts";
import type { FoundDisk, MachineHave } from "../machine/machine-want.ts";
import { mayBeOurs } from "../mark.ts";
import { keptDisksMachinesOn } from "./survey-kept-disks.ts";
import { templatesOn } from "./survey-templates.ts";
import { isNodeUnreachable, unreachableFor } from "./unreachable.ts";
import { waitUntilMade } from "./wait-until-made.ts";

/** A machine of ours, whether Proxmox keeps it running by itself, and a data disk that was detached from it. */
export type Surveyed = MachineHave & { isHaManaged?: true; detached?: FoundDisk };

/** Proxmox tells no size of a volume that no slot holds; its storage does. */
async function withDetached(ctx: ReadContext, client: ProxmoxClient, have: MachineHave): Promise<Surveyed> {
  const found = detachedData(have);
  if (!found) return have;
  const storage = found.volume.split(":")[0] ?? "";
  const volumes = await client.storageContent(have.on, storage, "images", ctx.signal);
  const bytes = volumes.find(({ volume }) => volume === found.volume)?.sizeBytes ?? 0;
  const { slot, volume } = found;
  return { ...have, detached: { slot, volume, storage, sizeGiB: bytes / 1024 ** 3 } };
}

/** A Proxmox cluster reached under several URLs shows each machine under each; the host it is on speaks for it. */
export function eachOnce(machines: Surveyed[], registry: HostRegistry): Surveyed[] {
  const isAtHome = (have: MachineHave): boolean => registry.host(have.host).proxmox.node === have.on;
  const known = new Map<string, Surveyed>();
  for (const have of machines) {
    const key = `${have.cluster}/${have.node}/${have.vmid}/${have.on}`;
    if (!known.has(key) || isAtHome(have)) known.set(key, have);
  }
  return [...known.values()];
}

/** A node may fall silent while its neighbours still call it online. */
export async function machinesOrUnreachable(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  group: ProxmoxHost[],
) {
  const hosts = group.filter((host) => host.proxmox.node === node);
  try {
    return { ...(await machinesOn(ctx, client, node, group)), isHeard: true, unreachable: [] };
  } catch (thrown) {
    if (!isNodeUnreachable(thrown)) throw thrown;
    ctx.log("warn", `${node}: ${thrown.message}`);
    return {
      node,
      vmids: [],
      ours: [],
      keptDisksMachines: [],
      templates: [],
      promised: nothingPromised,
      isHeard: false,
      unreachable: unreachableFor(hosts, thrown),
    };
  }
}

async function machinesOn(ctx: ReadContext, client: ProxmoxClient, node: string, group: ProxmoxHost[]) {
  const all = await client.machines(node, ctx.signal);
  const host = group.find((each) => each.proxmox.node === node) ?? group[0];
  const candidates = all.filter((machine) => !machine.isTemplate && mayBeOurs(machine.tags));
  const place = { host: host?.name ?? node, on: node };
  const [haves, keptDisksMachines, templates] = await Promise.all([
    Promise.all(candidates.map((machine) => readOwned(ctx, client, node, machine, place.host))),
    keptDisksMachinesOn(ctx, client, place, all),
    templatesOn(ctx, client, place, all),
  ]);
  const ours = haves.flatMap((have) => have ?? []);
  return {
    node,
    vmids: all.map((machine) => machine.vmid),
    ours,
    keptDisksMachines,
    templates,
    promised: promisedTo(all, ours),
  };
}

export const nothingPromised = { memoryPromisedMiB: 0, coresPromised: 0 };

/** A machine that is not ours and off may stay off; ours is meant to run. */
function promisedTo(all: MachineSummary[], ours: MachineHave[]): typeof nothingPromised {
  const own = new Set(ours.map((have) => have.vmid));
  const counted = all.filter(
    (machine) => !machine.isTemplate && (machine.isRunning || own.has(machine.vmid)),
  );
  return {
    memoryPromisedMiB: counted.reduce((sum, machine) => sum + machine.memoryMiB, 0),
    coresPromised: counted.reduce((sum, machine) => sum + machine.cores, 0),
  };
}

async function readOwned(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  machine: MachineSummary,
  host: string,
): Promise<Surveyed | undefined> {
  const { vmid, isRunning } = machine;
  await waitUntilMade(ctx, client, node, machine);
  try {
    const { now, next } = await client.machineState({ node, vmid }, ctx.signal);
    const have = readMachine(now, { host, on: node, vmid, isRunning }, next);
    return have && (await withDetached(ctx, client, have));
  } catch (thrown) {
    // Removed since the list was made.
    if (thrown instanceof SlipwayError && thrown.code === "PVE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

/** What was detached goes its way with the others. */
const allDisks = ({ dataDisks, detached }: Surveyed): FoundDisk[] =>
  [...dataDisks, ...(detached ? [detached] : [])].toSorted((a, b) => slotNumber(a.slot) - slotNumber(b.slot));

export const ownedMachine = (have: Surveyed): OwnedMachine => ({
  cluster: have.cluster,
  node: have.node,
  role: have.role,
  host: have.host,
  on: have.on,
  id: have.vmid,
  isRunning: have.isRunning,
  image: have.image,
  memoryMiB: have.memoryMiB,
  cores: have.cores,
  dataDisksGiB: allDisks(have).map((disk) => disk.sizeGiB),
  keptDisks: keptDisks({ ...have, dataDisks: allDisks(have) }).map(({ index, sizeGiB, volume }) => ({
    index,
    sizeGiB,
    volume,
  })),
  isProtected: have.isProtected,
  isHaManaged: have.isHaManaged,
  isProtectedByFile: have.mark.protect,
  insteadOf: have.mark.insteadOf,
});
