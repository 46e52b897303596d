import { SlipwayError } from "../../errors/index.ts";
import type { MachineRef, ProxmoxClient, Task } from "../../clients/proxmox/index.ts";
import type { StepContext } from "../../plan/index.ts";
import { finishTask } from "./finish-task.ts";

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
const isRequest = (task: Task): boolean => task.upid.split(":")[5]?.startsWith("ha") ?? false;

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
