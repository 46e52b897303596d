import { drainNode, type DrainAllowances, type KubeClient } from "../../clients/kube/index.ts";
import type { Seen, StepContext } from "../../plan/index.ts";
import { attachedTo } from "./leaving-nodes.ts";

/** The pods of a node that leaves go elsewhere first; one that may not go within this time keeps the node. */
export async function emptyNode(
  ctx: StepContext,
  kube: KubeClient,
  name: string,
  drainMs: number,
  options: DrainAllowances = {},
): Promise<void> {
  await drainNode(kube, name, {
    clock: ctx.clock,
    deadlineMs: drainMs,
    signal: ctx.signal,
    ...options,
    onSeen: (seen) => ctx.log("info", `drain of ${name}: ${seen}`),
  });
  await letVolumesGo(ctx, kube, name);
}

const detachWait = { probe: "https", deadlineMs: 5 * 60_000, everyMs: 2_000, usualMs: 10_000 };

/**
 * A pod is gone before its volume is: on another node it could not start, and a node that reboots meanwhile may leave the
 * volume torn. Volumes of pods that stay are not waited for without end.
 */
async function letVolumesGo(ctx: StepContext, kube: KubeClient, name: string): Promise<void> {
  const what = `the volumes of ${name} to be detached`;
  const startedAt = ctx.clock.now();
  await ctx.waitFor({ ...detachWait, what }, async (signal): Promise<Seen<true>> => {
    const left = await attachedTo(kube, name, signal);
    if (left.length === 0) return { done: true, value: true };
    const seen = `still attached: ${left.slice(0, 3).join(", ")}${left.length > 3 ? ` and ${left.length - 3} more` : ""}`;
    if (ctx.clock.now() - startedAt < detachWait.deadlineMs - detachWait.everyMs * 2)
      return { done: false, seen };
    ctx.log("warn", `${name} goes although volumes are ${seen}`);
    return { done: true, value: true };
  });
}
