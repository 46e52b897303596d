import type { KubeClient } from "../../../clients/kube/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { emptyForRestart, isMarked, markOf, release, restartMark } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { drainStuck } from "./errors.ts";
import type { NodeTarget } from "./node-system.ts";

/** Moves the pods of a node that reboots into another system. */
export async function emptyForReboot(
  access: TalosAccess,
  ctx: StepContext,
  want: NodeTarget & { drainMs: number },
  reason: string,
): Promise<void> {
  const kube = await access.kube(want.cluster, want.endpoint);
  await emptyForRestart(ctx, kube, { ...want, reason }, (cause) =>
    drainStuck({ ...want, why: cause.why, cause }),
  );
}

/** Lets pods come to all nodes that are as far as they should: a run that was cut may have left nobody else to do it. */
export async function releaseFinished(kube: KubeClient): Promise<void> {
  for (const node of (await kube.nodes()).filter(isMarked)) {
    const reason = markOf(node) ?? "";
    const isThere =
      reason === restartMark || node.status?.nodeInfo?.osImage.includes(`v${reason.replace(/^talos-/, "")})`);
    if (isThere) await release(kube, node.metadata.name);
  }
}
