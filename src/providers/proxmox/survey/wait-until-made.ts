import type { MachineRef, MachineSummary, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { ReadContext } from "../../../plan/index.ts";
import { isCloning } from "../template/clone.ts";

// A machine that an earlier run was still creating carries its mark only when Proxmox is done with it.
const makingMs = 30_000;
const pollEveryMs = 500;

/** Waits a while for a machine that is locked by its own creation. */
export async function waitUntilMade(
  ctx: ReadContext,
  client: ProxmoxClient,
  node: string,
  { vmid, lock }: MachineSummary,
): Promise<void> {
  if (lock !== "create" && lock !== "clone") return;
  const machine = { node, vmid };
  const isAtWork =
    lock === "clone" ? () => isCloning(ctx, client, machine) : await creation(ctx, client, machine);
  const until = ctx.clock.now() + makingMs;
  if (!isAtWork || !(await isAtWork())) return;
  ctx.log("info", `machine ${vmid} on ${node} is still being created; waiting for it`);
  while (ctx.clock.now() < until && (await isAtWork())) await ctx.clock.sleep(pollEveryMs, ctx.signal);
}

async function creation(ctx: ReadContext, client: ProxmoxClient, { node, vmid }: MachineRef) {
  const tasks = await client.runningTasks(node, ctx.signal);
  const found = tasks.find((each) => each.type === "qmcreate" && each.id === String(vmid));
  if (!found) return undefined;
  const task = client.task(found.upid);
  return async () => (await task.look(ctx.signal)).isRunning;
}
