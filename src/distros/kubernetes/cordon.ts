import type { KubeClient, KubeNode } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { StepContext } from "../../plan/index.ts";
import { emptyNode } from "./empty-node.ts";

/** Stands on a node that a run has cordoned, whoever carries it on: only what was cordoned by us is uncordoned. */
const mark = "slipway.dev/cordoned-for";

/** For what a node is cordoned that restarts as it is, with other settings. */
export const restartMark = "restart";

const nodeRef = (name: string) => ({ apiVersion: "v1", kind: "Node", name });

/** For what a node is cordoned by us, if it is. */
export const markOf = (node: KubeNode | undefined): string | undefined => node?.metadata.annotations?.[mark];

/** Cordoned by a run that has not come to its end. */
export const isMarked = (node: KubeNode | undefined): boolean => markOf(node) !== undefined;

/** A node that comes back, and how long its pods may take to leave. */
interface Emptied {
  node: string;
  drainMs: number;
  /** What it is cordoned for: a run that finds it knows what was begun. */
  reason: string;
}

/**
 * Keeps new pods from a node and moves those that are there, within their budgets. What stays comes back with the node. A
 * node whose pods cannot leave takes pods again, and `stuck` says what that means.
 */
export async function emptyForRestart(
  ctx: StepContext,
  kube: KubeClient,
  { node: name, drainMs, reason }: Emptied,
  stuck: (cause: SlipwayError) => SlipwayError,
): Promise<void> {
  const node = await kube.get<KubeNode>(nodeRef(name), ctx.signal);
  // One that never joined holds no pods.
  if (!node) return;
  if (node.spec?.unschedulable !== true)
    await kube.patch(
      nodeRef(name),
      { metadata: { annotations: { [mark]: reason } }, spec: { unschedulable: true } },
      { signal: ctx.signal },
    );
  try {
    await emptyNode(ctx, kube, name, drainMs, { mayLoseScratch: true, leavesUnmanaged: true });
  } catch (thrown) {
    if (!isStuck(thrown)) throw thrown;
    await release(kube, name);
    throw stuck(thrown);
  }
}

const isStuck = (thrown: unknown): thrown is SlipwayError =>
  thrown instanceof SlipwayError && ["KUBE_DRAIN_BLOCKED", "KUBE_DRAIN_REFUSED"].includes(thrown.code);

/** Lets pods come again, if it was a run of ours that kept them away. */
export async function release(kube: KubeClient, name: string): Promise<void> {
  const node = await kube.get<KubeNode>(nodeRef(name));
  if (!isMarked(node)) return;
  await kube.patch(nodeRef(name), {
    metadata: { annotations: { [mark]: null } },
    spec: { unschedulable: null },
  });
}
