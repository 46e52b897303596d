import { SlipwayError } from "../../errors/index.ts";
import type { MachineRef, ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { StepContext } from "../../plan/index.ts";
import { detachedData } from "./detached-disks.ts";
import { lockedMachine, protectedMachine } from "./errors.ts";
import { finishTask } from "./finish-task.ts";
import { setDisksAside, type KeepingParts } from "./kept-disks.ts";
import type { MachineHave } from "./machine-config.ts";
import { readDataDisks } from "./machine-drives.ts";
import { isOurSnapshot } from "./snapshot-names.ts";

const stopWait = { deadlineMs: 2 * 60_000, usualMs: 1_200 };
const removeWait = { deadlineMs: 5 * 60_000, usualMs: 1_500 };
const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };
// A backup that somebody started is worth waiting for; one that hangs is not.
const lockWait = { deadlineMs: 20 * 60_000, usualMs: 60_000, everyMs: 3_000 };

/**
 * Takes a machine of ours away: out of the hands of high availability, stopped hard, its kept disks set aside, then
 * deleted with what is left. Every part may have been done before, by an earlier run or by hand.
 */
export async function removeMachine(
  ctx: StepContext,
  parts: KeepingParts,
  client: ProxmoxClient,
  have: MachineHave,
): Promise<void> {
  const machine = { node: have.on, vmid: have.vmid };
  await unlessGone(ctx, client, machine, async () => {
    await stopHard(ctx, client, machine, have);
    await liftProtection(ctx, client, machine, have);
    if (!have.losesData) {
      await dropSnapshots(ctx, client, machine, have);
      await setDisksAside(ctx, parts, await withDetached(ctx, client, machine, have));
    }
    // Volumes that merely carry its number may be somebody's: they go only when all data may.
    const task = have.losesData
      ? await client.removeMachine(machine, ctx.signal)
      : await client.removeMachineOnly(machine, ctx.signal);
    await finishTask(ctx, task, { what: `${machine.node} to remove machine ${have.vmid}`, ...removeWait });
  });
}

/** A data disk that somebody detached is put back first, so that it is kept as the others are. */
async function withDetached(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  have: MachineHave,
): Promise<MachineHave> {
  const config = await client.machineConfig(machine, ctx.signal);
  const detached = detachedData({ ...have, config, dataDisks: readDataDisks(config) });
  if (!detached) return have;
  const task = await client.changeMachine(machine, { [detached.slot]: detached.volume }, ctx.signal);
  const what = `${machine.node} to attach ${detached.volume} to machine ${machine.vmid}`;
  await finishTask(ctx, task, { what, ...changeWait });
  return { ...have, dataDisks: readDataDisks(await client.machineConfig(machine, ctx.signal)) };
}

/** Not a shutdown: a guest that is going away need not agree to it, and one that is being asked is asked no longer. */
async function stopHard(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  have: MachineHave,
): Promise<void> {
  const hold = await client.machineHold(machine, ctx.signal);
  // High availability would start it again, and refuses a stop that overrules a shutdown.
  if (hold.isHaManaged) await client.releaseFromHa(machine.vmid, ctx.signal);
  if (hold.lock !== undefined) await waitForLock(ctx, client, machine, have, hold.lock);
  const isRunning =
    hold.lock === undefined ? hold.isRunning : await client.isMachineRunning(machine, ctx.signal);
  if (!isRunning) return;
  const task = await client.stopMachine(machine, ctx.signal);
  await finishTask(ctx, task, { what: `${machine.node} to stop machine ${machine.vmid}`, ...stopWait });
}

/** Whoever works on the machine may finish. A lock that nobody holds any more is for a person to judge. */
async function waitForLock(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  have: MachineHave,
  lock: string,
): Promise<void> {
  await ctx.waitFor(
    { what: `the ${lock} of machine ${machine.vmid} to end`, probe: "lock", ...lockWait },
    async (signal) => {
      const hold = await client.machineHold(machine, signal);
      if (hold.lock === undefined) return { done: true, value: undefined };
      const tasks = await client.runningTasks(machine.node, signal);
      const isWorkedOn = tasks.some(
        // One backup job of several machines names none of them.
        (task) => task.id === String(machine.vmid) || (task.type === "vzdump" && task.id === ""),
      );
      if (!isWorkedOn) throw lockedMachine({ node: have.node, vmid: machine.vmid, on: machine.node, lock });
      return { done: false, seen: `it is locked (${hold.lock})` };
    },
  );
}

/** The plan has refused what the file protects; what is left is a flag the file set and no longer wants. */
async function liftProtection(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  have: MachineHave,
): Promise<void> {
  if (!have.isProtected) return;
  if (!have.mark.protect) throw protectedMachine({ node: have.node, vmid: have.vmid, on: have.on });
  const task = await client.changeMachine(machine, { protection: false }, ctx.signal);
  const what = `${machine.node} to lift the protection of machine ${machine.vmid}`;
  await finishTask(ctx, task, { what, ...changeWait });
}

/** Snapshots of ours hold the disks; the machine they belong to is going anyway. */
async function dropSnapshots(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  have: MachineHave,
): Promise<void> {
  if (have.dataDisks.length === 0) return;
  for (const name of (await client.snapshots(machine, ctx.signal)).filter(isOurSnapshot)) {
    const task = await client.removeSnapshot(machine, name, ctx.signal);
    const what = `${machine.node} to remove snapshot ${name} of machine ${machine.vmid}`;
    await finishTask(ctx, task, { what, ...removeWait });
  }
}

/** Removed by hand meanwhile is removed all the same. */
async function unlessGone(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!isMissing(thrown)) throw thrown;
    // Not everything that is missing is the machine: a storage may be.
    const isThere = await client.machineHold(machine, ctx.signal).then(() => true, isNotMissing);
    if (isThere) throw thrown;
  }
}

const isMissing = (thrown: unknown): boolean =>
  thrown instanceof SlipwayError && thrown.code === "PVE_NOT_FOUND";
const isNotMissing = (thrown: unknown): boolean => !isMissing(thrown);
