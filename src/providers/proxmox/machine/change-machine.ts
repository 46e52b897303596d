import { SlipwayError } from "../../../errors/index.ts";
import type { MachineChange, MachineRef, ProxmoxClient, Task } from "../../../clients/proxmox/index.ts";
import { needsOff, type StepContext } from "../../../plan/index.ts";
import { deviations } from "./compare-machine.ts";
import type { Deviation, DiskMove } from "./deviation.ts";
import {
  nicNotPlugged,
  changedMeanwhile,
  diskHasSnapshots,
  machineGone,
  shrinksDisk,
  waitsForRestart,
} from "../errors.ts";
import { finishTask, powerOff, powerOn } from "../tasks.ts";
import { readMachine, waitingKeys } from "./machine-config.ts";
import type { MachineHave, MachineWant } from "./machine-want.ts";

const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };
const moveWait = { deadlineMs: 6 * 60 * 60_000, usualMs: 60_000 };

interface Site {
  ctx: StepContext;
  client: ProxmoxClient;
  machine: MachineRef;
}

/** Makes an existing machine as wanted, in place and from whatever it is. Returns whether it runs. */
export async function changeMachine(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  want: MachineWant,
  have: MachineHave,
): Promise<boolean> {
  if (want.diskGiB < have.diskGiB) {
    throw shrinksDisk({ node: want.node, fromGiB: have.diskGiB, toGiB: want.diskGiB });
  }
  const site = { ctx, client, machine };
  const found = deviations(want, have);
  await takeBack(site, have, found);
  if (!have.isRunning) await putRight(site, have, found);
  else if (found.some(needsOff)) await restartWith(site, want, have, found);
  else await changeWhileOn(site, want, have, found);
  return have.isRunning;
}

/** Asked for by hand and still waiting: with the next start it would undo what the file says. */
async function takeBack(site: Site, have: MachineHave, found: Deviation[]): Promise<void> {
  const waiting = have.next ? waitingKeys(have.config, have.next.config) : [];
  const keys = found.filter((each) => each.reverts).flatMap((each) => each.keys);
  const unwanted = keys.filter((key) => waiting.includes(key));
  if (unwanted.length > 0) await apply(site, { revert: unwanted.join(",") });
}

/**
 * All that can be refused (rights, space, names) is asked for while the machine still runs: Proxmox keeps it for the
 * next start. From then on the machine runs again in the end, whatever happens.
 */
async function restartWith(
  site: Site,
  want: MachineWant,
  have: MachineHave,
  found: Deviation[],
): Promise<void> {
  const { ctx, client, machine } = site;
  // What takes the place of a disk that goes can only come once that is gone.
  const early = found.filter((each) => !each.destroys && each.consequence !== "data");
  const isFirst = !found.some((each) => each.reverts);
  try {
    await setAll(site, have, early, isFirst ? have.config.digest : undefined);
  } catch (thrown) {
    await leaveAsItWas(site, have, early);
    throw thrown;
  }
  await powerOff(ctx, client, machine);
  try {
    // What waited came with the stop.
    const now = await readAgain(site, have, false);
    const late = found.filter((each) => !early.includes(each));
    const isLate = ({ field }: Deviation): boolean => late.some((each) => each.field === field);
    await putRight(site, now, [...late, ...deviations(want, now).filter((each) => !isLate(each))]);
    await powerOn(ctx, client, machine);
  } catch (thrown) {
    // What may pass is tried again, and needs no other settings.
    const isPassing = thrown instanceof SlipwayError && thrown.transient;
    await startAgain(site, have, isPassing ? [] : early);
    throw thrown;
  }
}

/** What a failed change has left waiting would come with the next start. */
async function leaveAsItWas(site: Site, have: MachineHave, found: Deviation[]): Promise<void> {
  const now = await readAgain(site, have, true);
  const before = have.next ? waitingKeys(have.config, have.next.config) : [];
  const waiting = now.next ? waitingKeys(now.config, now.next.config) : [];
  const keys = found.flatMap((each) => each.keys);
  const ours = waiting.filter((key) => keys.includes(key) && !before.includes(key));
  if (ours.length > 0) await apply(site, { revert: ours.join(",") });
}

/** Better a machine that runs with its old settings than one that is off. Drives stay as they are by now. */
async function startAgain(site: Site, have: MachineHave, undone: Deviation[]): Promise<void> {
  const { ctx, client, machine } = site;
  try {
    const now = await readAgain(site, have, false);
    const keys = undone
      .flatMap((each) => [...Object.keys(each.set ?? {}), ...(each.unset ?? [])])
      .filter((key) => !isDriveKey(key) && now.config[key] !== have.config[key]);
    const [old, added] = [true, false].map((isOld) =>
      keys.filter((key) => (have.config[key] !== undefined) === isOld),
    ) as [string[], string[]];
    const change = {
      ...Object.fromEntries(old.map((key) => [key, have.config[key]])),
      delete: added.join(",") || undefined,
    };
    if (keys.length > 0) await apply(site, change);
    await powerOn(ctx, client, machine);
    ctx.log("warn", `${have.node} was started again${keys.length > 0 ? " with its old settings" : ""}`);
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    ctx.log("error", `${have.node} stays off: ${thrown.why}`);
  }
}

const isDriveKey = (key: string): boolean =>
  /^(?:scsi|virtio|sata|ide|efidisk|tpmstate|unused)\d+$/.test(key);

/** What cannot be done while the machine runs is said; it is never switched off for a change that was to be hot. */
async function changeWhileOn(
  site: Site,
  want: MachineWant,
  have: MachineHave,
  found: Deviation[],
): Promise<void> {
  if (found.length === 0) return;
  let thrown: unknown;
  try {
    await putRight(site, have, found);
  } catch (refusal) {
    thrown = refusal;
  }
  const now = await readAgain(site, have, true);
  const waiting = now.next ? waitingKeys(now.config, now.next.config) : [];
  const left = found.filter((each) => each.keys.some((key) => waiting.includes(key)));
  const reason = thrown instanceof SlipwayError ? thrown.why : "Proxmox keeps it for the next start";
  const fields = left.map((each) => each.field);
  const nics = left.flatMap((each) => each.keys).filter((key) => key.startsWith("net"));
  if (nics.length > 0) {
    // A card that cannot be plugged now may well keep the machine from starting at all.
    await apply(site, { revert: nics.filter((key) => waiting.includes(key)).join(",") });
    throw nicNotPlugged({ node: want.node, fields, reason, cause: thrown });
  }
  if (thrown !== undefined) {
    // Proxmox takes settings in an order of its own, so what waits by now says nothing about the cause.
    await leaveAsItWas(site, have, found);
    throw thrown;
  }
  if (left.length > 0) throw waitsForRestart({ node: want.node, fields });
}

async function readAgain({ ctx, client, machine }: Site, have: MachineHave, isRunning: boolean) {
  const { now, next } = await client.machineState(machine, ctx.signal);
  const found = readMachine(now, { host: have.host, on: have.on, vmid: have.vmid, isRunning }, next);
  if (!found) throw machineGone({ node: have.node, vmid: have.vmid });
  return found;
}

/** Everything the deviations ask for: first what goes, then settings and what comes, then what moves and grows. */
async function putRight(site: Site, have: MachineHave, found: Deviation[]): Promise<void> {
  const { ctx, client, machine } = site;
  const gone = found.flatMap((each) => each.destroys ?? []);
  // Protection keeps disks as well as machines.
  const isLifted = gone.length > 0 && have.isProtected;
  if (isLifted) await apply(site, { protection: false });
  // "force" also deletes what was on them; otherwise they would stay behind as unused disks.
  if (gone.length > 0) await apply(site, { delete: gone.join(","), force: true });
  // After a change of our own the digest is another.
  const isFirst = gone.length === 0 && !found.some((each) => each.reverts);
  await setAll(
    site,
    have,
    found,
    isFirst ? have.config.digest : undefined,
    isLifted ? { protection: true } : {},
  );
  for (const move of found.flatMap((each) => each.moves ?? [])) await moveDisk(site, have, move);
  for (const { slot, sizeGiB } of found.flatMap((each) => each.grows ?? [])) {
    const task = await client.resizeDisk(machine, slot, sizeGiB, ctx.signal);
    await finish(site, task, `grow ${slot} of machine ${machine.vmid}`);
  }
}

/** Settings, and drives that come. With a digest only if the machine was not changed since it was read. */
async function setAll(
  site: Site,
  have: MachineHave,
  found: Deviation[],
  digest: string | undefined,
  more: MachineChange = {},
): Promise<void> {
  const unset = found.flatMap((each) => each.unset ?? []).filter((key) => have.config[key] !== undefined);
  const change: MachineChange = {
    ...more,
    ...(Object.assign({}, ...found.map((each) => each.set ?? {})) as MachineChange),
    ...(unset.length > 0 && { delete: unset.join(",") }),
  };
  if (Object.keys(change).length === 0) return;
  await apply(site, { ...change, digest });
}

async function moveDisk(site: Site, have: MachineHave, move: DiskMove): Promise<void> {
  const { ctx, client, machine } = site;
  const { slot, storage, ...to } = move;
  try {
    const task = await client.moveDisk(machine, slot, { storage, ...to }, ctx.signal);
    await finish(site, task, `move ${slot} of machine ${machine.vmid} to ${storage}`, moveWait);
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || !thrown.why.includes("snapshot")) throw thrown;
    throw diskHasSnapshots({ node: have.node, vmid: machine.vmid, slot, storage, cause: thrown });
  }
}

async function apply(site: Site, change: MachineChange): Promise<void> {
  const { ctx, client, machine } = site;
  try {
    const task = await client.changeMachine(machine, change, ctx.signal);
    await finish(site, task, `change machine ${machine.vmid}`);
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.why.includes("checksum mismatch")) {
      throw changedMeanwhile({ vmid: machine.vmid, cause: thrown });
    }
    throw thrown;
  }
}

const finish = ({ ctx, machine }: Site, task: Task, what: string, wait = changeWait): Promise<void> =>
  finishTask(ctx, task, { what: `${machine.node} to ${what}`, ...wait });
