import { SlipwayError } from "../../../errors/index.ts";
import type { MachineConfig, MachineRef, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { StepContext, RemovalBlocker, OwnedMachine, ReadContext } from "../../../plan/index.ts";
import { detachedData, detachedDisks } from "../disks/detached-disks.ts";
import { lockedMachine, protectedMachine } from "../errors.ts";
import { finishTask } from "../tasks.ts";
import { setDisksAside, type KeptDisksParts } from "../disks/kept-disks.ts";
import { isDisk } from "../disks/kept-disks-mark.ts";
import { type MachineHave, machineRef } from "./machine-want.ts";
import { readDataDisks, systemSlot, volumeIn } from "../disks/machine-disks.ts";
import { isOurSnapshot } from "../snapshot/snapshot-names.ts";
import type { HostRegistry } from "../host-registry.ts";

const stopWait = { deadlineMs: 2 * 60_000, usualMs: 1_200 };
const removeWait = { deadlineMs: 5 * 60_000, usualMs: 1_500 };
const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };
// A backup that is running is worth waiting for; one that hangs is not.
const lockWait = { deadlineMs: 20 * 60_000, usualMs: 60_000, everyMs: 3_000 };

/**
 * Takes a machine of ours away: out of the hands of high availability, stopped hard, its kept disks set aside, then
 * deleted with what is left. Every part may have been done before, by an earlier run or by hand.
 */
export async function removeMachine(
  ctx: StepContext,
  parts: KeptDisksParts,
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
    // Volumes that merely carry its number may belong to others: they go only when all data may.
    const task = have.losesData
      ? await client.removeMachine(machine, ctx.signal)
      : await client.removeMachineOnly(machine, ctx.signal);
    await finishTask(ctx, task, { what: `${machine.node} to remove machine ${have.vmid}`, ...removeWait });
  });
}

/** A data disk that was detached by hand is put back first, so that it is kept as the others are. */
async function withDetached(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  have: MachineHave,
): Promise<MachineHave> {
  const config = await client.machineConfig(machine, ctx.signal);
  const detached = detachedData({ ...have, config, dataDisks: readDataDisks(config) });
  if (!detached) return have;
  // It may be data of the node or something that was left there.
  ctx.log("info", `${detached.volume} lay detached on ${have.node} and is kept as its data disk`);
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

/** A task that works on the machine may finish. A lock that no task holds any more is for a person to judge. */
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

// Storages that cannot rename a volume cannot give it to another machine.
const withoutRename = new Set(["iscsi", "iscsidirect", "zfs"]);

/** What would keep disks from being set aside, asked before anything happens. */
export async function removalBlockers(
  ctx: ReadContext,
  registry: HostRegistry,
  machines: OwnedMachine[],
): Promise<RemovalBlocker[]> {
  const kinds = new Map<string, Promise<Map<string, string>>>();
  const found = await Promise.all(
    machines.map(async (machine) => {
      const client = await registry.client(machine.host);
      const key = `${machine.host}/${machine.on}`;
      const known = kinds.get(key) ?? storageKinds(ctx, client, machine.on);
      kinds.set(key, known);
      const reason =
        (await strangeDiskOn(ctx, client, machine)) ??
        rigidStorage(machine, await known) ??
        (await snapshotOn(ctx, client, machine));
      return reason ? [{ machine, ...reason }] : [];
    }),
  );
  return found.flat();
}

type Reason = Pick<RemovalBlocker, "why" | "next">;

const storageKinds = async (
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
): Promise<Map<string, string>> =>
  new Map((await client.storages(node, ctx.signal)).map(({ name, type }) => [name, type]));

/** A disk that is not in the file may hold data that must not be lost. */
async function strangeDiskOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  machine: OwnedMachine,
): Promise<Reason | undefined> {
  const ref = machineRef(machine);
  const { vmid } = ref;
  const config = await client.machineConfig(ref, ctx.signal);
  const ours = detachedDisks(config, vmid);
  const isOurs = (key: string): boolean => ours.length === 1 && ours.some((disk) => disk.key === key);
  const [slot] = strangeDisks(config).filter((key) => !isOurs(key));
  if (slot === undefined) return undefined;
  return {
    why: `machine ${vmid} of ${machine.node} has a disk that is not from the cluster file: ${slot}, ${volumeIn(config[slot] ?? "")}; it would go with the machine`,
    next: `Give it to another machine or remove it in the Proxmox web page, then run the command again`,
  };
}

/** Disks that no cluster file asked for: on another bus than ours, or detached and left behind. */
const strangeDisks = (config: MachineConfig): string[] =>
  Object.keys(config).filter(
    (key) => !key.startsWith("scsi") && key !== systemSlot(config) && isDisk(key, config[key] ?? ""),
  );

function rigidStorage({ node, keptDisks }: OwnedMachine, kinds: Map<string, string>): Reason | undefined {
  for (const { index, volume } of keptDisks) {
    const storage = volume.split(":")[0] ?? "";
    const kind = kinds.get(storage) ?? "";
    if (!withoutRename.has(kind)) continue;
    return {
      why: `data disk ${index + 1} of ${node} lies on storage "${storage}", and a storage of type ${kind} cannot give a disk to another machine, so it cannot outlive this one`,
      next: `Write keep: false for the disk in the cluster file and run "slipway up", or move it to another storage`,
    };
  }
  return undefined;
}

/** Proxmox moves no disk that a snapshot needs. Ours go with the machine; others are not ours to remove. */
async function snapshotOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  { node, on, id, keptDisks }: OwnedMachine,
): Promise<Reason | undefined> {
  if (keptDisks.length === 0) return undefined;
  const machine = machineRef({ on, id });
  const { vmid } = machine;
  for (const name of await client.snapshots(machine, ctx.signal)) {
    if (isOurSnapshot(name)) continue;
    const held = Object.values(await client.snapshotConfig(machine, name, ctx.signal)).map(volumeIn);
    const disk = keptDisks.find(({ volume }) => held.includes(volume));
    if (disk)
      return {
        why: `snapshot "${name}" of machine ${vmid} holds data disk ${disk.index + 1} of ${node}, so the disk cannot outlive the machine`,
        next: `Remove the snapshot: on ${on} run "qm delsnapshot ${vmid} ${name}", then run the command again`,
      };
  }
  return undefined;
}
