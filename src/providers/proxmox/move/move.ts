import { SlipwayError } from "../../../errors/index.ts";
import type { ProxmoxClient, Task } from "../../../clients/proxmox/index.ts";
import {
  defineResource,
  rollingMove,
  same,
  type RollingGates,
  type ReadContext,
  type StepContext,
} from "../../../plan/index.ts";
import { machineGone, managerDidNotMove, stillThere } from "./errors.ts";
import type { HostRegistry } from "../host-registry.ts";
import { readMark } from "../mark.ts";
import { finishTask, isRequest } from "../tasks.ts";

/** A machine, the node it leaves and the node it goes to. */
export interface MoveWant {
  cluster: string;
  node: string;
  isControlPlane: boolean;
  /** Whose server is asked. */
  host: string;
  vmid: number;
  from: string;
  to: string;
  disksGiB: number;
}

/** Where it was found. */
export interface MoveHave {
  on: string;
  isRunning: boolean;
}

const leastMs = 30 * 60_000;
/** A slow network copies 17 MiB in a second. */
const slowMsPerGiB = 60_000;
const usualMsPerGiB = 10_000;
/** The manager of high availability passes by every ten seconds; one that does nothing for so long will not any more. */
const managerMs = 120_000;

export const usualMoveMs = ({ disksGiB, memoryGiB }: { disksGiB: number; memoryGiB: number }): number =>
  5_000 + Math.round((disksGiB + memoryGiB) * usualMsPerGiB);

/**
 * A machine moves to another node of its Proxmox cluster. It is away from the old one or it is not: a move that was begun
 * by an earlier run, or by somebody else, is waited for and not begun a second time.
 */
export const proxmoxMove = (registry: HostRegistry, gates: RollingGates | undefined) =>
  defineResource<MoveWant, MoveHave>({
    kind: "proxmox/move",
    read: async (ctx, want) => locate(ctx, await registry.client(want.host), want),
    compare(want, have) {
      if (have.on !== want.from) return same;
      return {
        same: false,
        action: "update",
        // The guest stands still for a moment, in which etcd may elect another leader.
        consequence: have.isRunning ? "disturb" : "hot",
        fields: [{ field: "host", from: want.from, to: want.to }],
      };
    },
    create: (_ctx, want) => Promise.reject(machineGone(want)),
    update: (ctx, want) =>
      rollingMove(ctx, want, gates, async () => move(ctx, await registry.client(want.host), want)),
    remove: () => Promise.resolve(),
    out: ({ on }) => ({ host: on }),
  });

/** First where it was, then where it goes, then wherever its Proxmox cluster says. */
async function locate(
  ctx: ReadContext,
  client: ProxmoxClient,
  want: MoveWant,
): Promise<MoveHave | undefined> {
  for (const node of [want.from, want.to]) {
    const have = await lookOn(ctx, client, want, node);
    if (have) return have;
  }
  const elsewhere = (await client.guests(ctx.signal)).find(({ vmid }) => vmid === want.vmid)?.node;
  return elsewhere === undefined ? undefined : lookOn(ctx, client, want, elsewhere);
}

async function lookOn(
  ctx: ReadContext,
  client: ProxmoxClient,
  { vmid, cluster, node: name }: MoveWant,
  node: string,
): Promise<MoveHave | undefined> {
  try {
    const config = await client.machineConfig({ node, vmid }, ctx.signal);
    const mark = readMark(config["description"] ?? "");
    if (mark?.cluster !== cluster || mark.node !== name) return undefined;
    return { on: node, isRunning: await client.isMachineRunning({ node, vmid }, ctx.signal) };
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "PVE_NOT_FOUND") return undefined;
    throw thrown;
  }
}

async function move(ctx: StepContext, client: ProxmoxClient, want: MoveWant): Promise<MoveHave> {
  const before = await locate(ctx, client, want);
  if (!before) throw machineGone(want);
  if (before.on !== want.from) return before;
  const task = await running(ctx, client, want);
  if (task) await finish(ctx, task, want);
  else if ((await managedState(ctx, client, want)) !== "migrate") await begin(ctx, client, want, before);
  const after = await locate(ctx, client, want);
  if (after && after.on !== want.from) return after;
  // Under high availability the task was only a request.
  if ((await managedState(ctx, client, want)) === undefined) throw stillThere(want);
  return waitForManager(ctx, client, want);
}

async function begin(
  ctx: StepContext,
  client: ProxmoxClient,
  want: MoveWant,
  { isRunning }: MoveHave,
): Promise<void> {
  const migration = { to: want.to, isLive: isRunning, withLocalDisks: want.disksGiB > 0 };
  const task = await client.migrateMachine({ node: want.from, vmid: want.vmid }, migration, ctx.signal);
  await finish(ctx, task, want);
}

/** What an earlier run, or somebody else, has begun. */
async function running(ctx: StepContext, client: ProxmoxClient, want: MoveWant): Promise<Task | undefined> {
  const tasks = await client.runningTasks(want.from, ctx.signal);
  const found = tasks.find(({ type, id }) => /^(?:q|ha)migrate$/.test(type) && id === String(want.vmid));
  if (!found) return undefined;
  ctx.log("info", `machine ${want.vmid} is on its way already; waiting for it`);
  return client.task(found.upid, `move machine ${want.vmid} from ${want.from}`);
}

const deadlineMs = ({ disksGiB }: MoveWant): number => leastMs + disksGiB * slowMsPerGiB;

const finish = (ctx: StepContext, task: Task, want: MoveWant): Promise<void> =>
  finishTask(ctx, task, {
    what: `machine ${want.vmid} to move from ${want.from} to ${want.to}`,
    deadlineMs: deadlineMs(want),
    usualMs: isRequest(task) ? 1_000 : usualMoveMs({ disksGiB: want.disksGiB, memoryGiB: 0 }),
  });

/** Undefined: no manager of high availability answers for it. */
async function managedState(
  ctx: ReadContext,
  client: ProxmoxClient,
  { vmid }: MoveWant,
): Promise<string | undefined> {
  const resources = await client.haResources(ctx.signal).catch(noHa);
  if (!resources.some((each) => each.vmid === vmid && each.state !== "ignored")) return undefined;
  return (await client.haServices(ctx.signal)).find((each) => each.vmid === vmid)?.state ?? "queued";
}

/** Without the right to see it, there is none to wait for. */
const noHa = (thrown: unknown): [] => {
  if (thrown instanceof SlipwayError && thrown.code === "PVE_FORBIDDEN") return [];
  throw thrown;
};

/** The manager moves it in its own time, with a task of its own; when that fails the machine stays, and runs on. */
function waitForManager(ctx: StepContext, client: ProxmoxClient, want: MoveWant): Promise<MoveHave> {
  const what = `high availability to move machine ${want.vmid} to ${want.to}`;
  let idleSince = ctx.clock.now();
  return ctx.waitFor<MoveHave>(
    { what, probe: "status", deadlineMs: deadlineMs(want), everyMs: 2_000, usualMs: 20_000 },
    async () => {
      const have = await locate(ctx, client, want);
      if (have && have.on !== want.from) return { done: true, value: have };
      const state = (await managedState(ctx, client, want)) ?? "gone";
      if (state === "migrate") idleSince = ctx.clock.now();
      if (state === "error" || ctx.clock.now() - idleSince > managerMs)
        throw managerDidNotMove({ ...want, state });
      return { done: false, seen: state };
    },
  );
}
