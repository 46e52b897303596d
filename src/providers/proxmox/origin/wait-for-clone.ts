import type { MachineRef, ProxmoxClient } from "../../../clients/proxmox/index.ts";
import type { ReadContext, Seen, StepContext } from "../../../plan/index.ts";
import type { TaskWait } from "../finish-task.ts";
import { configOn } from "./find-template.ts";

/**
 * Whether the machine may still be copied by somebody. The task goes by the number of the template, on the template's
 * node, so any of that kind may be the one.
 */
export async function isCloning(
  ctx: ReadContext,
  client: ProxmoxClient,
  { node, vmid }: MachineRef,
): Promise<boolean> {
  const config = await configOn(ctx, client, node, vmid);
  if (config?.["lock"] !== "clone") return false;
  const online = (await client.nodes(ctx.signal)).filter((each) => each.isOnline);
  const tasks = await Promise.all(online.map((each) => client.runningTasks(each.node, ctx.signal)));
  return tasks.flat().some((task) => task.type === "qmclone");
}

/** Waits out a copy that an earlier run has started. */
export const waitForClone = (
  ctx: StepContext,
  client: ProxmoxClient,
  machine: MachineRef,
  wait: TaskWait,
): Promise<void> =>
  ctx.waitFor({ ...wait, probe: "task", everyMs: 1_000 }, async (): Promise<Seen<void>> => {
    if (await isCloning(ctx, client, machine)) return { done: false, seen: "Proxmox task running" };
    return { done: true, value: undefined };
  });
