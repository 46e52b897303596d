import { drainNode, type DrainAllowances, type KubeClient } from "../../clients/kube/index.ts";
import type { StepContext } from "../../plan/index.ts";

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
}
