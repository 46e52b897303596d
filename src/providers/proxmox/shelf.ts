import { SlipwayError } from "../../errors/index.ts";
import type { MachineChange, MachineRef, NewMachine, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { ReadContext, StepContext } from "../../plan/index.ts";
import { diskStayed, shelfTaken } from "./errors.ts";
import { finishTask } from "./finish-task.ts";
import { machineTags, mayBeOurs } from "./ownership.ts";
import {
  readShelf,
  shelfName,
  shelfTag,
  shelfText,
  type ShelfHave,
  type ShelfMark,
  type ShelvedDisk,
} from "./shelf-mark.ts";

/** Where a shelf stands: one cluster on one Proxmox node, because disks change hands only within a node. */
export interface ShelfPlace {
  client: ProxmoxClient;
  host: string;
  on: string;
  cluster: string;
  pool?: string;
  /** Version of Slipway, for the mark. */
  slipway: string;
  /** VMIDs that machines of this run have or are about to get. */
  spoken: ReadonlySet<number>;
}

const firstVmid = 9200;
const mostVmids = 200;
const slots = Array.from({ length: 31 }, (_, number) => `scsi${number}`);
const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };

/** Nobody else of this run may look for room on a shelf meanwhile. */
export const shelfLock = (place: Pick<ShelfPlace, "cluster" | "host" | "on">): string =>
  `${place.cluster}/${place.host}/${place.on}/shelf`;

/** The shelves of a cluster on one node, as they are now. */
export async function findShelves(ctx: ReadContext, place: ShelfPlace): Promise<ShelfHave[]> {
  const { client, host, on, cluster } = place;
  const all = await client.machines(on, ctx.signal);
  const candidates = all.filter(
    (each) => each.tags.includes(shelfTag) || (each.name === shelfName(cluster) && mayBeOurs(each.tags)),
  );
  const found = await Promise.all(candidates.map(({ vmid }) => lookAtShelf(ctx, client, { host, on, vmid })));
  return found.flatMap((shelf) => (shelf?.cluster === cluster ? [shelf] : []));
}

export async function lookAtShelf(
  ctx: ReadContext,
  client: ProxmoxClient,
  place: { host: string; on: string; vmid: number },
): Promise<ShelfHave | undefined> {
  try {
    return readShelf(await client.machineConfig({ node: place.on, vmid: place.vmid }, ctx.signal), place);
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "PVE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

/**
 * Takes a disk off a stopped machine and sets it aside. Run again after an interruption it goes on: the shelf says
 * what it is about to hold before it holds it, and the machine loses the disk in the same moment as the shelf gets it.
 */
export async function setAside(
  ctx: StepContext,
  place: ShelfPlace,
  machine: MachineRef,
  slot: string,
  disk: Omit<ShelvedDisk, "slot">,
): Promise<void> {
  const { client } = place;
  const shelf = await shelfWithRoom(ctx, place);
  const free = slots.find((each) => !shelf.taken.includes(each)) ?? "";
  const { cluster, slipway } = place;
  const known = shelf.disks.map(({ sizeGiB: _size, volume: _volume, ...record }) => record);
  const mark: ShelfMark = { cluster, slipway, disks: [...known, { slot: free, ...disk }] };
  await changeShelf(ctx, place, shelf.vmid, { description: shelfText(mark), protection: true });
  const task = await client.giveDisk(machine, slot, { vmid: shelf.vmid, disk: free }, ctx.signal);
  const what = `${place.on} to set ${slot} of machine ${machine.vmid} aside`;
  await finishTask(ctx, task, { what, ...changeWait });
  const left = await client.machineConfig(machine, ctx.signal);
  if (left[slot] !== undefined) throw diskStayed({ node: disk.node, vmid: machine.vmid, slot });
}

/** Gives a disk that was set aside to a machine. */
export async function giveBack(
  ctx: StepContext,
  place: ShelfPlace,
  shelf: ShelfHave,
  disk: ShelvedDisk,
  to: { vmid: number; slot: string },
): Promise<void> {
  const from = { node: place.on, vmid: shelf.vmid };
  const task = await place.client.giveDisk(from, disk.slot, { vmid: to.vmid, disk: to.slot }, ctx.signal);
  const what = `${place.on} to give ${disk.node} its data disk ${disk.index + 1} back`;
  await finishTask(ctx, task, { what, ...changeWait });
}

/** Removes a shelf. With a disk in it, it goes only when data may be lost. Returns whether it is gone. */
export async function removeShelf(
  ctx: StepContext,
  place: ShelfPlace,
  vmid: number,
  losesData: boolean,
): Promise<boolean> {
  const { client, host, on } = place;
  const shelf = await lookAtShelf(ctx, client, { host, on, vmid });
  if (!shelf || shelf.cluster !== place.cluster) return true;
  if (!losesData && shelf.taken.length > 0) return false;
  await changeShelf(ctx, place, vmid, { protection: false });
  // A volume that merely carries its number may be a disk on its way; only with everything lost does it go too.
  const task = losesData
    ? await client.removeMachine({ node: on, vmid }, ctx.signal)
    : await client.removeMachineOnly({ node: on, vmid }, ctx.signal);
  await finishTask(ctx, task, { what: `${on} to remove shelf ${vmid}`, ...changeWait });
  return true;
}

async function changeShelf(
  ctx: StepContext,
  { client, on }: ShelfPlace,
  vmid: number,
  change: MachineChange,
): Promise<void> {
  const task = await client.changeMachine({ node: on, vmid }, change, ctx.signal);
  await finishTask(ctx, task, { what: `${on} to write on shelf ${vmid}`, ...changeWait });
}

async function shelfWithRoom(ctx: StepContext, place: ShelfPlace): Promise<ShelfHave> {
  const hasRoom = (shelf: ShelfHave): boolean => slots.some((slot) => !shelf.taken.includes(slot));
  const found = (await findShelves(ctx, place)).find(hasRoom);
  return found ?? makeShelf(ctx, place);
}

/** A machine that never runs: no card, hardly any memory, and Proxmox refuses to remove it or its disks. */
async function makeShelf(ctx: StepContext, place: ShelfPlace): Promise<ShelfHave> {
  const { client, host, on, cluster, pool, slipway } = place;
  const used = new Set((await client.guests(ctx.signal)).map((guest) => guest.vmid));
  for (let vmid = firstVmid; vmid < firstVmid + mostVmids; vmid += 1) {
    if (used.has(vmid) || place.spoken.has(vmid)) continue;
    const shelf: NewMachine = {
      vmid,
      name: shelfName(cluster),
      description: shelfText({ cluster, slipway, disks: [] }),
      tags: machineTags(cluster, [shelfTag]).join(";"),
      ...(pool !== undefined && { pool }),
      ostype: "l26",
      cores: 1,
      memory: "16",
      scsihw: "virtio-scsi-pci",
      onboot: false,
      protection: true,
    };
    await create(ctx, client, on, shelf);
    const made = await lookAtShelf(ctx, client, { host, on, vmid });
    // Somebody may have been faster with this number.
    if (made?.cluster === cluster) return made;
  }
  throw shelfTaken({ cluster, node: on, from: firstVmid, to: firstVmid + mostVmids - 1 });
}

async function create(ctx: StepContext, client: ProxmoxClient, on: string, shelf: NewMachine): Promise<void> {
  try {
    const task = await client.createMachine(on, shelf, ctx.signal);
    await finishTask(ctx, task, { what: `${on} to make shelf ${shelf.vmid}`, ...changeWait });
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    if (thrown.code === "PVE_ALREADY_EXISTS") return;
    // As with any machine: rights that come from the pool count for tags only once it is in there.
    const isAboutTags = ["PVE_FORBIDDEN", "PVE_TAG_FORBIDDEN"].includes(thrown.code);
    if (!isAboutTags || shelf.tags === undefined) throw thrown;
    const { tags, ...untagged } = shelf;
    await create(ctx, client, on, untagged);
    await tag(ctx, client, on, shelf.vmid, tags);
  }
}

/** It is found by its name as well, so a datacenter that refuses the tag costs nothing. */
async function tag(
  ctx: StepContext,
  client: ProxmoxClient,
  on: string,
  vmid: number,
  tags: string,
): Promise<void> {
  try {
    const task = await client.changeMachine({ node: on, vmid }, { tags }, ctx.signal);
    await finishTask(ctx, task, { what: `${on} to tag shelf ${vmid}`, ...changeWait });
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code !== "PVE_TAG_FORBIDDEN") throw thrown;
    ctx.log("warn", `shelf ${vmid} on ${on} has no tags: ${thrown.why}`);
  }
}
