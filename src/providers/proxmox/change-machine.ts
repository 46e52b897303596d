import { SlipwayError } from "../../errors/index.ts";
import type { MachineChange, MachineRef, ProxmoxClient, Task } from "../../clients/proxmox/index.ts";
import { needsOff, rollingRestart, type AskHealthyNodes, type StepContext } from "../../plan/index.ts";
import { deviations } from "./compare-machine.ts";
import type { Deviation, DiskMove } from "./deviation.ts";
import { cardNotPlugged, changedMeanwhile, diskHasSnapshots, machineGone, shrinksDisk } from "./errors.ts";
import { finishTask } from "./finish-task.ts";
import { readMachine, waitingKeys, type MachineHave, type MachineWant } from "./machine-config.ts";
import { powerOff, powerOn } from "./power.ts";

const changeWait = { deadlineMs: 3 * 60_000, usualMs: 700 };
const moveWait = { deadlineMs: 6 * 60 * 60_000, usualMs: 60_000 };

interface Site {
  ctx: StepContext;
  client: ProxmoxClient;
  machine: MachineRef;
}

/** Makes an existing machine as wanted, in place and from whatever it is. Returns whether it still runs. */
export async function changeMachine(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  want: MachineWant,
  have: MachineHave,
  askHealthyNodes?: AskHealthyNodes,
): Promise<boolean> {
  if (want.diskGiB < have.diskGiB) {
    throw shrinksDisk({ node: want.node, fromGiB: have.diskGiB, toGiB: want.diskGiB });
  }
  const site = { ctx, client, machine };
  const found = deviations(want, have);
  await takeBack(site, have, found);
  if (!have.isRunning) {
    await putRight(site, have, found);
    return false;
  }
  if (found.some(needsOff)) return changeWhileOff(site, want, have);
  const refused = await changeWhileOn(site, want, have, found);
  if (refused === undefined) return true;
  ctx.log("warn", `${want.node} restarts: ${refused}`);
  return rollingRestart(ctx, want, askHealthyNodes, async () => {
    await changeWhileOff(site, want, have);
    await powerOn(ctx, client, machine);
    return true;
  });
}

/** Asked for by hand and still waiting: with the next start it would undo what the file says. */
async function takeBack(site: Site, have: MachineHave, found: Deviation[]): Promise<void> {
  const waiting = have.next ? waitingKeys(have.config, have.next.config) : [];
  const keys = found.filter((each) => each.reverts).flatMap((each) => each.keys);
  const unwanted = keys.filter((key) => waiting.includes(key));
  if (unwanted.length > 0) await apply(site, { revert: unwanted.join(",") });
}

/** What waited comes with the stop, so the machine is looked at again before the rest is done. */
async function changeWhileOff(site: Site, want: MachineWant, have: MachineHave): Promise<false> {
  await powerOff(site.ctx, site.client, site.machine);
  const now = await lookAgain(site, have, false);
  await putRight(site, now, deviations(want, now));
  return false;
}

/** Says what could not be done while the machine runs; undefined when everything was. */
async function changeWhileOn(
  site: Site,
  want: MachineWant,
  have: MachineHave,
  found: Deviation[],
): Promise<string | undefined> {
  let thrown: unknown;
  try {
    await putRight(site, have, found);
  } catch (refusal) {
    thrown = refusal;
  }
  if (found.length === 0) return undefined;
  const now = await lookAgain(site, have, true);
  const waiting = now.next ? waitingKeys(now.config, now.next.config) : [];
  const left = found.filter((each) => each.keys.some((key) => waiting.includes(key)));
  if (left.length === 0) {
    if (thrown !== undefined) throw thrown;
    return undefined;
  }
  const reason = thrown instanceof SlipwayError ? thrown.why : "Proxmox keeps it for the next start";
  const cards = left.flatMap((each) => each.keys).filter((key) => key.startsWith("net"));
  if (cards.length > 0) {
    // A card that cannot be plugged now may well keep the machine from starting at all.
    await apply(site, { revert: cards.filter((key) => waiting.includes(key)).join(",") });
    throw cardNotPlugged({ node: want.node, fields: left.map((each) => each.field), reason, cause: thrown });
  }
  return `${left.map((each) => each.field).join(", ")} cannot change while it runs (${reason})`;
}

async function lookAgain({ ctx, client, machine }: Site, have: MachineHave, isRunning: boolean) {
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
  const unset = found.flatMap((each) => each.unset ?? []).filter((key) => have.config[key] !== undefined);
  const change: MachineChange = {
    ...(isLifted && { protection: true }),
    ...(Object.assign({}, ...found.map((each) => each.set ?? {})) as MachineChange),
    ...(unset.length > 0 && { delete: unset.join(",") }),
  };
  const { digest } = have.config;
  // Nobody else has changed it since it was looked at; after a change of our own the digest is another.
  const isFirst = gone.length === 0 && !found.some((each) => each.reverts) && digest !== undefined;
  if (Object.keys(change).length > 0) await apply(site, { ...change, ...(isFirst && { digest }) });
  for (const move of found.flatMap((each) => each.moves ?? [])) await moveDisk(site, have, move);
  for (const { slot, sizeGiB } of found.flatMap((each) => each.grows ?? [])) {
    const task = await client.resizeDisk(machine, slot, sizeGiB, ctx.signal);
    await finish(site, task, `grow ${slot} of machine ${machine.vmid}`);
  }
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
