import type { MachineConfig, NewMachine } from "../../../clients/proxmox/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { finishTask } from "../tasks.ts";
import type { MachineHave, MachineWant } from "../machine/machine-want.ts";
import { newDisk, systemSlot } from "./machine-disks.ts";
import { isSeed } from "../machine/machine-firmware.ts";
import { outlives } from "../mark.ts";
import {
  findKeptDisksMachines,
  giveBack,
  removeKeptDisksMachine,
  setAside,
  keptDisksLock,
  keptDisksPlace,
  type KeptDisksParts,
  type KeptDisksPlace,
} from "./kept-disks.ts";
import { isDisk, type KeptDisksMachine } from "./kept-disks-mark.ts";

type DataDisk = MachineHave["dataDisks"][number];

const addWait = { deadlineMs: 3 * 60_000, usualMs: 700 };

/** Slots follow the order of the file: the first data disk is `scsi1`. */
const dataSlot = (index: number): `scsi${number}` => `scsi${index + 1}`;
const indexOf = (slot: string): number => Number(slot.slice("scsi".length)) - 1;

/** The data disks that outlive a machine, by what its mark says. */
export const keptDisks = (have: Pick<MachineHave, "mark" | "dataDisks">): (DataDisk & { index: number })[] =>
  have.dataDisks
    .map((disk) => ({ ...disk, index: indexOf(disk.slot) }))
    .filter((disk) => outlives(have.mark, disk.index));

/** Disks that no cluster file asked for: on another bus than ours, or detached and left behind. */
export const strangeDisks = (config: MachineConfig): string[] =>
  Object.keys(config).filter(
    (key) => !key.startsWith("scsi") && key !== systemSlot(config) && isDisk(key, config[key] ?? ""),
  );

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

async function addDisk(
  ctx: StepContext,
  { client }: KeptDisksPlace,
  have: MachineHave,
  disk: Record<`scsi${number}`, string>,
): Promise<void> {
  const machine = { node: have.on, vmid: have.vmid };
  const task = await client.changeMachine(machine, disk, ctx.signal);
  await finishTask(ctx, task, { what: `${have.on} to add a disk to machine ${have.vmid}`, ...addWait });
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
