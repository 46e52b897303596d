import { SlipwayError } from "../../../errors/index.ts";
import type { MachineChange, MachineRef, NewMachine, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import { defineResource, same, type ReadContext, type StepContext } from "../../../plan/index.ts";
import { diskStayed, keptDisksNumbersTaken } from "../errors.ts";
import type { HostRegistry } from "../host-registry.ts";
import { finishTask } from "../tasks.ts";
import { machineTags, mayBeOurs, outlives } from "../mark.ts";
import type { FoundDisk, MachineHave } from "../machine/machine-want.ts";
import { slotNumber } from "./machine-disks.ts";
import {
  readKeptDisksMachine,
  keptDisksName,
  keptDisksTag,
  keptDisksText,
  type KeptDisksMachine,
  type KeptDisksMark,
  type KeptDiskInMachine,
} from "./kept-disks-mark.ts";

export interface KeptDisksParts {
  registry: HostRegistry;
  slipway: string;
}

/** What a shelf is found by. */
export interface KeptDisksKey {
  cluster: string;
  host: string;
  on: string;
  vmid: number;
  /** The disks in it go too. */
  losesData?: boolean | undefined;
}

/** A shelf by itself is only ever removed; removals of machines make it, and new machines empty it. */
export const proxmoxKeptDisks = (parts: KeptDisksParts) =>
  defineResource<KeptDisksKey, KeptDisksKey>({
    kind: "proxmox/shelf",
    face: () => ({ noun: "machine for kept disks", plural: "machines for kept disks" }),

    async read(ctx, want) {
      const found = await inspectKeptDisksMachine(ctx, await parts.registry.client(want.host), want);
      return found?.cluster === want.cluster ? want : undefined;
    },

    compare: () => same,
    create: async (_ctx, want) => want,
    update: async (_ctx, _want, have) => have,

    async remove(ctx: StepContext, have) {
      const place = await keptDisksPlace(parts, have);
      await ctx.holding(keptDisksLock(place), 1, () =>
        removeKeptDisksMachine(ctx, place, have.vmid, have.losesData ?? false),
      );
    },
  });

/** Where a shelf stands: one cluster on one Proxmox node, because disks change hands only within a node. */
export interface KeptDisksPlace {
  client: ProxmoxClient;
  host: string;
  on: string;
  cluster: string;
  pool?: string | undefined;
  /** Version of Slipway, for the mark. */
  slipway: string;
  /** Numbers that new machines of the plan are about to get. */
  reservedVmids: number[];
}

export async function keptDisksPlace(
  parts: KeptDisksParts,
  key: { cluster: string; host: string; on: string; reservedVmids?: number[] | undefined },
): Promise<KeptDisksPlace> {
  const { pool } = parts.registry.host(key.host).proxmox;
  const { cluster, host, on, reservedVmids = [] } = key;
  const client = await parts.registry.client(host);
  const { slipway } = parts;
  return { client, host, on, cluster, pool, slipway, reservedVmids };
}

const firstVmid = 9200;
const mostVmids = 200;
/** Whether kept disks might be given this number. */
export const isShelfVmid = (vmid: number): boolean => vmid >= firstVmid && vmid < firstVmid + mostVmids;

const slots = Array.from({ length: 31 }, (_, number) => `scsi${number}`);
const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };

/** No other step of this run may look for a free slot meanwhile. */
export const keptDisksLock = (place: Pick<KeptDisksPlace, "cluster" | "host" | "on">): string =>
  `${place.cluster}/${place.host}/${place.on}/shelf`;

/** The shelves of a cluster on one node, as they are now. */
export async function findKeptDisksMachines(
  ctx: ReadContext,
  place: KeptDisksPlace,
): Promise<KeptDisksMachine[]> {
  const { client, host, on, cluster } = place;
  const all = await client.machines(on, ctx.signal);
  const candidates = all.filter(
    (each) =>
      each.tags.includes(keptDisksTag) || (each.name === keptDisksName(cluster) && mayBeOurs(each.tags)),
  );
  const found = await Promise.all(
    candidates.map(({ vmid }) => inspectKeptDisksMachine(ctx, client, { host, on, vmid })),
  );
  return found.flatMap((keptDisksMachine) =>
    keptDisksMachine?.cluster === cluster ? [keptDisksMachine] : [],
  );
}

export async function inspectKeptDisksMachine(
  ctx: ReadContext,
  client: ProxmoxClient,
  place: { host: string; on: string; vmid: number },
): Promise<KeptDisksMachine | undefined> {
  try {
    return readKeptDisksMachine(
      await client.machineConfig({ node: place.on, vmid: place.vmid }, ctx.signal),
      place,
    );
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "PVE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

/** The data disks that outlive a machine, by what its mark says. */
export const keptDisks = (have: Pick<MachineHave, "mark" | "dataDisks">): (FoundDisk & { index: number })[] =>
  have.dataDisks
    .map((disk) => ({ ...disk, index: slotNumber(disk.slot) - 1 }))
    .filter((disk) => outlives(have.mark, disk.index));

/** Takes the disks that are to stay off a stopped machine, one after the other. */
export async function setDisksAside(
  ctx: StepContext,
  parts: KeptDisksParts,
  have: MachineHave,
): Promise<void> {
  const disks = keptDisks(have);
  if (disks.length === 0) return;
  const place = await keptDisksPlace(parts, have);
  for (const { slot, index } of disks) {
    const purpose = have.mark.data?.[index]?.for;
    const record = { node: have.node, index, for: purpose };
    await ctx.holding(keptDisksLock(place), 1, () =>
      setAside(ctx, place, { node: have.on, vmid: have.vmid }, slot, record),
    );
  }
}

/**
 * Takes a disk off a stopped machine and sets it aside. Run again after an interruption it goes on: the shelf says
 * what it is about to hold before it holds it, and the machine loses the disk in the same moment as the shelf gets it.
 */
async function setAside(
  ctx: StepContext,
  place: KeptDisksPlace,
  machine: MachineRef,
  slot: string,
  disk: Omit<KeptDiskInMachine, "slot">,
): Promise<void> {
  const { client } = place;
  const keptDisksMachine = await keptDisksMachineWithFreeSlot(ctx, place);
  const free = slots.find((each) => !keptDisksMachine.taken.includes(each)) ?? "";
  const { cluster, slipway } = place;
  const known = keptDisksMachine.disks.map(({ sizeGiB: _size, volume: _volume, ...record }) => record);
  const mark: KeptDisksMark = { cluster, slipway, disks: [...known, { slot: free, ...disk }] };
  await changeKeptDisksMachine(ctx, place, keptDisksMachine.vmid, {
    description: keptDisksText(mark),
    protection: true,
  });
  const task = await client.giveDisk(machine, slot, { vmid: keptDisksMachine.vmid, disk: free }, ctx.signal);
  const what = `${place.on} to move ${slot} of machine ${machine.vmid} to the kept disks`;
  await finishTask(ctx, task, { what, ...changeWait });
  const left = await client.machineConfig(machine, ctx.signal);
  if (left[slot] !== undefined) throw diskStayed({ node: disk.node, vmid: machine.vmid, slot });
}

/** Removes a shelf. With a disk in it, it goes only when data may be lost. Returns whether it is gone. */
export async function removeKeptDisksMachine(
  ctx: StepContext,
  place: KeptDisksPlace,
  vmid: number,
  losesData: boolean,
): Promise<boolean> {
  const { client, host, on } = place;
  const keptDisksMachine = await inspectKeptDisksMachine(ctx, client, { host, on, vmid });
  if (!keptDisksMachine || keptDisksMachine.cluster !== place.cluster) return true;
  if (!losesData && keptDisksMachine.taken.length > 0) return false;
  await changeKeptDisksMachine(ctx, place, vmid, { protection: false });
  // A volume that merely carries its number may be a disk on its way; only with everything lost does it go too.
  const task = losesData
    ? await client.removeMachine({ node: on, vmid }, ctx.signal)
    : await client.removeMachineOnly({ node: on, vmid }, ctx.signal);
  await finishTask(ctx, task, { what: `${on} to remove machine ${vmid} for kept disks`, ...changeWait });
  return true;
}

async function changeKeptDisksMachine(
  ctx: StepContext,
  { client, on }: KeptDisksPlace,
  vmid: number,
  change: MachineChange,
): Promise<void> {
  const task = await client.changeMachine({ node: on, vmid }, change, ctx.signal);
  await finishTask(ctx, task, { what: `${on} to change machine ${vmid} for kept disks`, ...changeWait });
}

async function keptDisksMachineWithFreeSlot(
  ctx: StepContext,
  place: KeptDisksPlace,
): Promise<KeptDisksMachine> {
  const hasRoom = (keptDisksMachine: KeptDisksMachine): boolean =>
    slots.some((slot) => !keptDisksMachine.taken.includes(slot));
  const found = (await findKeptDisksMachines(ctx, place)).find(hasRoom);
  return found ?? makeKeptDisksMachine(ctx, place);
}

/** A machine that never runs: no card, hardly any memory, and Proxmox refuses to remove it or its disks. */
async function makeKeptDisksMachine(ctx: StepContext, place: KeptDisksPlace): Promise<KeptDisksMachine> {
  const { client, host, on, cluster, pool, slipway } = place;
  const used = new Set((await client.guests(ctx.signal)).map((guest) => guest.vmid));
  for (let vmid = firstVmid; vmid < firstVmid + mostVmids; vmid += 1) {
    if (used.has(vmid) || place.reservedVmids.includes(vmid)) continue;
    const keptDisksMachine: NewMachine = {
      vmid,
      name: keptDisksName(cluster),
      description: keptDisksText({ cluster, slipway, disks: [] }),
      tags: machineTags(cluster, [keptDisksTag]).join(";"),
      pool,
      ostype: "l26",
      cores: 1,
      memory: "16",
      scsihw: "virtio-scsi-pci",
      onboot: false,
      protection: true,
    };
    await create(ctx, client, on, keptDisksMachine);
    const made = await inspectKeptDisksMachine(ctx, client, { host, on, vmid });
    // Another run may have been faster with this number.
    if (made?.cluster === cluster) return made;
  }
  throw keptDisksNumbersTaken({ cluster, node: on, from: firstVmid, to: firstVmid + mostVmids - 1 });
}

async function create(
  ctx: StepContext,
  client: ProxmoxClient,
  on: string,
  keptDisksMachine: NewMachine,
): Promise<void> {
  try {
    const task = await client.createMachine(on, keptDisksMachine, ctx.signal);
    await finishTask(ctx, task, {
      what: `${on} to create machine ${keptDisksMachine.vmid} for kept disks`,
      ...changeWait,
    });
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    if (thrown.code === "PVE_ALREADY_EXISTS") return;
    // As with any machine: rights that come from the pool count for tags only once it is in there.
    const isAboutTags = ["PVE_FORBIDDEN", "PVE_TAG_FORBIDDEN"].includes(thrown.code);
    if (!isAboutTags || keptDisksMachine.tags === undefined) throw thrown;
    const { tags, ...untagged } = keptDisksMachine;
    await create(ctx, client, on, untagged);
    await tag(ctx, client, on, keptDisksMachine.vmid, tags);
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
    await finishTask(ctx, task, { what: `${on} to tag machine ${vmid} for kept disks`, ...changeWait });
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code !== "PVE_TAG_FORBIDDEN") throw thrown;
    ctx.log("warn", `machine ${vmid} for kept disks on ${on} has no tags: ${thrown.why}`);
  }
}
