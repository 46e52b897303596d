import { SlipwayError } from "../../errors/index.ts";
import type { Task, NewMachine, ProxmoxClient, MachineRef } from "../../clients/proxmox/index.ts";
import type { StepContext } from "../../plan/index.ts";

export interface TaskWait {
  /** Completes "waiting for …". */
  what: string;
  deadlineMs: number;
  usualMs: number;
}

/** Waits for a Proxmox task as a step does: with a deadline, progress, and the last thing seen. */
export async function finishTask(ctx: StepContext, task: Task, wait: TaskWait): Promise<void> {
  let percent: number | undefined;
  const error = await ctx.waitFor<SlipwayError | undefined>(
    // The task paces its own looks, so the next may follow at once.
    { ...wait, probe: "task", everyMs: 1 },
    async (signal) => {
      const look = await task.look(signal, wait.usualMs);
      // A failed task has ended, even when its failure is worth another attempt.
      if (!look.isRunning) return { done: true, value: look.error };
      if (look.percent !== undefined) ctx.progress(look.percent, 100, "percent");
      if (look.percent !== undefined) percent = look.percent;
      // Coarse, because every new text is told; the fine steps are progress.
      const part = percent === undefined ? "" : `, ${Math.floor(percent / 10) * 10} %`;
      return { done: false, seen: `Proxmox task running${part}` };
    },
  );
  if (error) throw error;
}

/** Importing a disk is the long part of it. */
export const importWait = { deadlineMs: 20 * 60_000, usualMs: 6_000 };

/** Asks Proxmox for a new machine and waits until it is there. False: it was there already, for the caller to judge. */
export async function createMachine(
  ctx: StepContext,
  client: ProxmoxClient,
  node: string,
  machine: NewMachine,
  kind: "machine" | "template",
  wait: Omit<TaskWait, "what"> = importWait,
): Promise<boolean> {
  const attempt = async (params: NewMachine) => {
    const task = await client.createMachine(node, params, ctx.signal);
    await finishTask(ctx, task, { what: `${node} to create ${kind} ${params.vmid}`, ...wait });
  };
  try {
    await attempt(machine);
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError)) throw thrown;
    if (thrown.code === "PVE_ALREADY_EXISTS") return false;
    // Proxmox 9.2 asks for the right to tag before the machine is in the pool that gives it, and where tags come from
    // a list it takes none at create; the mark is in the description anyway, and the tags follow once it exists.
    const isAboutTags =
      thrown.code === "PVE_TAG_FORBIDDEN" ||
      (thrown.code === "PVE_FORBIDDEN" && thrown.why.includes("VM.Config.Options"));
    if (!isAboutTags || machine.tags === undefined) throw thrown;
    const { tags: _later, ...untagged } = machine;
    await attempt(untagged);
  }
  return true;
}

const startWait = { deadlineMs: 3 * 60_000, usualMs: 1_800 };
// A node of a cluster gets this long to leave in order; then the plug is pulled.
const shutdownSeconds = 90;
const shutdownWait = { deadlineMs: (shutdownSeconds + 60) * 1_000, usualMs: 20_000 };
// The clean-up of the old instance may take the lock of a machine that is started again at once, and hold it for 30 s.
const restMs = 3_000;
// The manager of high availability passes by every ten seconds, and takes its time for what it finds.
const managerWait = { deadlineMs: 5 * 60_000, usualMs: 15_000, everyMs: 1_000 };

export async function powerOn(ctx: StepContext, client: ProxmoxClient, machine: MachineRef): Promise<void> {
  try {
    const task = await client.startMachine(machine, ctx.signal);
    await finishTask(ctx, task, { what: `${machine.node} to start machine ${machine.vmid}`, ...startWait });
    if (isRequest(task)) await waitForPower(ctx, client, machine, "run");
  } catch (thrown) {
    const isOn = thrown instanceof SlipwayError && /already running/.test(thrown.why);
    if (!isOn) throw thrown;
  }
}

export async function powerOff(ctx: StepContext, client: ProxmoxClient, machine: MachineRef): Promise<void> {
  const task = await client.shutdownMachine(machine, shutdownSeconds, ctx.signal);
  await finishTask(ctx, task, { what: `machine ${machine.vmid} to shut down`, ...shutdownWait });
  if (isRequest(task)) await waitForPower(ctx, client, machine, "stop");
  await ctx.clock.sleep(restMs, ctx.signal);
}

/** Of a machine under high availability these tasks only leave a request with its manager: `UPID:NODE:…:hastart:ID:…`. */
export const isRequest = (task: Task): boolean => task.upid.split(":")[5]?.startsWith("ha") ?? false;

function waitForPower(
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  wanted: "run" | "stop",
): Promise<void> {
  const what = `high availability to ${wanted === "run" ? "start" : "stop"} machine ${machine.vmid}`;
  return ctx.waitFor({ what, probe: "status", ...managerWait }, async (signal) => {
    const isRunning = await client.isMachineRunning(machine, signal);
    return isRunning === (wanted === "run")
      ? { done: true, value: undefined }
      : { done: false, seen: isRunning ? "still running" : "still stopped" };
  });
}
