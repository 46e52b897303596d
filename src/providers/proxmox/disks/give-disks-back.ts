import type { NewMachine } from "../../../clients/proxmox/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { finishTask } from "../tasks.ts";
import type { MachineHave, MachineWant } from "../machine/machine-want.ts";
import { newDisk } from "./machine-disks.ts";
import { isSeed } from "../machine/machine-firmware.ts";
import {
  findKeptDisksMachines,
  removeKeptDisksMachine,
  keptDisksLock,
  keptDisksPlace,
  type KeptDisksParts,
  type KeptDisksPlace,
} from "./kept-disks.ts";
import type { KeptDiskInMachine, KeptDisksMachine } from "./kept-disks-mark.ts";

const diskWait = { deadlineMs: 3 * 60_000, usualMs: 700 };

/** Slots follow the order of the file: the first data disk is `scsi1`. */
const dataSlot = (index: number): `scsi${number}` => `scsi${index + 1}`;

/**
 * Gives a new machine the disks that wait for its node, and makes those that do not, in the order of the file: however
 * far it came, what is there are the first ones. Returns whether anything was done.
 */
export async function giveDisksBack(
  ctx: StepContext,
  parts: KeptDisksParts,
  want: MachineWant,
  have: MachineHave,
): Promise<boolean> {
  const isWhole = want.dataDisks.every((_, index) => hasSlot(have, dataSlot(index)));
  if (isWhole || !want.mayHaveKeptDisks) return false;
  const place = await keptDisksPlace(parts, { cluster: want.cluster, host: want.host, on: have.on });
  return ctx.holding(keptDisksLock(place), 1, async () => {
    const keptDisksMachines = await findKeptDisksMachines(ctx, place);
    const waiting = keptDisksMachines.flatMap((keptDisksMachine) =>
      keptDisksMachine.disks
        .filter((disk) => disk.node === want.node)
        .map((disk) => ({ keptDisksMachine, disk })),
    );
    if (waiting.length === 0) return false;
    for (const [index, disk] of want.dataDisks.entries()) {
      const slot = dataSlot(index);
      if (hasSlot(have, slot)) continue;
      const kept = waiting.find((each) => each.disk.index === index && each.disk.sizeGiB <= disk.sizeGiB);
      if (kept) await giveBack(ctx, place, kept.keptDisksMachine, kept.disk, { vmid: have.vmid, slot });
      else await addDisk(ctx, place, have, { [slot]: newDisk(disk, want) });
    }
    await removeEmpty(ctx, place, keptDisksMachines);
    return true;
  });
}

const hasSlot = ({ dataDisks }: MachineHave, slot: string): boolean =>
  dataDisks.some((present) => present.slot === slot);

/** Gives a disk that was set aside to a machine. */
async function giveBack(
  ctx: StepContext,
  place: KeptDisksPlace,
  keptDisksMachine: KeptDisksMachine,
  disk: KeptDiskInMachine,
  to: { vmid: number; slot: string },
): Promise<void> {
  const from = { node: place.on, vmid: keptDisksMachine.vmid };
  const task = await place.client.giveDisk(from, disk.slot, { vmid: to.vmid, disk: to.slot }, ctx.signal);
  const what = `${place.on} to give ${disk.node} its data disk ${disk.index + 1} back`;
  await finishTask(ctx, task, { what, ...diskWait });
}

async function addDisk(
  ctx: StepContext,
  { client }: KeptDisksPlace,
  have: MachineHave,
  disk: Record<`scsi${number}`, string>,
): Promise<void> {
  const machine = { node: have.on, vmid: have.vmid };
  const task = await client.changeMachine(machine, disk, ctx.signal);
  await finishTask(ctx, task, { what: `${have.on} to add a disk to machine ${have.vmid}`, ...diskWait });
}

async function removeEmpty(
  ctx: StepContext,
  place: KeptDisksPlace,
  keptDisksMachines: KeptDisksMachine[],
): Promise<void> {
  for (const keptDisksMachine of keptDisksMachines)
    await removeKeptDisksMachine(ctx, place, keptDisksMachine.vmid, false);
}

/** The machine as it is made when some of its disks may be waiting for it; the rest is added after those. */
export const withoutDataDisks = (machine: NewMachine): NewMachine =>
  Object.fromEntries(
    Object.entries(machine).filter(([key, value]) => !/^scsi[1-9]\d*$/.test(key) || isSeed(String(value))),
  ) as NewMachine;
