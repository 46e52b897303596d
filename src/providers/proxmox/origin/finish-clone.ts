import type { MachineChange, MachineRef, NewMachine, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { finishTask } from "../finish-task.ts";
import { boardKind, isSeed, isSeenByAll } from "../machine-firmware.ts";
import { systemSlot } from "../machine-drives.ts";

const changeWait = { deadlineMs: 3 * 60_000, usualMs: 1_000 };

/**
 * Makes a clone what a new machine would be, but for its disks, in one call: with it goes the word in the mark that says
 * it is a clone and nothing more. What a template of somebody else brings beyond that stays.
 */
export async function finishClone(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  wanted: NewMachine,
): Promise<void> {
  const config = await client.machineConfig(machine, ctx.signal);
  const seed = Object.keys(config).find((key) => isSeed(config[key] ?? ""));
  const isUnseen = seed !== undefined && !isSeenByAll(seed, boardKind(wanted.machine ?? ""));
  // Proxmox takes a second one only after the first is gone.
  if (isUnseen) await change(ctx, client, machine, { delete: seed, force: true });
  const settings = Object.entries(wanted).filter(([key, value]) => {
    if (createOnly.has(key) || isDisk(key, String(value))) return false;
    // Its system disk may be in another slot than ours would be.
    if (key === "boot") return config[systemSlot(config)] === undefined;
    if (isSeed(String(value))) return seed === undefined || isUnseen;
    // Firmware that a template has brought keeps what it remembers.
    return !(keptDisks.has(key) && config[key] !== undefined);
  });
  await change(ctx, client, machine, Object.fromEntries(settings) as MachineChange);
}

async function change(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  settings: MachineChange,
): Promise<void> {
  const task = await client.changeMachine(machine, settings, ctx.signal);
  await finishTask(ctx, task, { what: `${machine.node} to set machine ${machine.vmid} up`, ...changeWait });
}

const createOnly = new Set(["vmid", "pool", "start", "storage", "unique"]);
const keptDisks = new Set(["efidisk0", "tpmstate0"]);

/** The system disk came with the clone; data disks are added as to any machine that lacks some. */
const isDisk = (key: string, value: string): boolean => /^scsi\d+$/.test(key) && !isSeed(value);
