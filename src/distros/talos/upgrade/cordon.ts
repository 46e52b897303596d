import type { KubeClient, KubeNode } from "../../../clients/kube/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { StepContext } from "../../../plan/index.ts";
import { emptyNode } from "../../kubernetes/index.ts";
import type { TalosAccess } from "../talos-access.ts";
import { drainStuck } from "./errors.ts";
import type { NodeTarget } from "./node-system.ts";

/** Stands on a node that an upgrade has cordoned, whoever carries it on: only what was cordoned by us is uncordoned. */
const mark = "slipway.dev/cordoned-for";

const nodeRef = (name: string) => ({ apiVersion: "v1", kind: "Node", name });

/** For what a node is cordoned by us, if it is. */
export const markOf = (node: KubeNode | undefined): string | undefined => node?.metadata.annotations?.[mark];

/** Cordoned by an upgrade that has not come to its end. */
export const isMarked = (node: KubeNode | undefined): boolean => markOf(node) !== undefined;

/** Keeps new pods from the node and moves those that are there, within their budgets. What stays comes back with the node. */
export async function emptyForReboot(
  access: TalosAccess,
  ctx: StepContext,
  want: NodeTarget & { drainMs: number },
  reason: string,
): Promise<void> {
  const kube = await access.kube(want.cluster, want.endpoint);
  const node = await kube.get<KubeNode>(nodeRef(want.node), ctx.signal);
  // One that never joined holds no pods.
  if (!node) return;
  if (node.spec?.unschedulable !== true)
    await kube.patch(
      nodeRef(want.node),
      { metadata: { annotations: { [mark]: reason } }, spec: { unschedulable: true } },
      { signal: ctx.signal },
    );
  try {
    await emptyNode(ctx, kube, want.node, want.drainMs, { mayLoseScratch: true, leavesUnmanaged: true });
  } catch (thrown) {
    if (!isStuck(thrown)) throw thrown;
    await release(kube, want.node);
    throw drainStuck({ ...want, why: thrown.why, cause: thrown });
  }
}

const isStuck = (thrown: unknown): thrown is SlipwayError =>
  thrown instanceof SlipwayError && ["KUBE_DRAIN_BLOCKED", "KUBE_DRAIN_REFUSED"].includes(thrown.code);

/** Lets pods come again, if it was an upgrade that kept them away. */
export async function release(kube: KubeClient, name: string): Promise<void> {
  const node = await kube.get<KubeNode>(nodeRef(name));
  if (!isMarked(node)) return;
  await kube.patch(nodeRef(name), {
    metadata: { annotations: { [mark]: null } },
    spec: { unschedulable: null },
  });
}

/** The same for all nodes that have come as far as they should: a run that was cut may have left nobody else to do it. */
export async function releaseFinished(kube: KubeClient): Promise<void> {
  for (const { metadata, status } of (await kube.nodes()).filter(isMarked)) {
    const wanted = metadata.annotations?.[mark]?.replace(/^talos-/, "") ?? "";
    if (status?.nodeInfo?.osImage.includes(`v${wanted})`)) await release(kube, metadata.name);
  }
}
