import { isNodeReady, type KubeClient, type KubeNode } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { limitTime, TimeLimitError, type Limits } from "../../lib/index.ts";
import type { RememberedNode } from "../../plan/index.ts";

const patienceMs = 5_000;
const zoneLabel = "topology.kubernetes.io/zone";

/** Every node that Kubernetes has an object for. Undefined when it does not answer. */
export async function rememberedNodes(
  open: () => Promise<KubeClient>,
  limits: Limits,
): Promise<Map<string, RememberedNode> | undefined> {
  const nodes = await unlessUnreachable(limits, async (limit) => (await open()).nodes(limit));
  return nodes && new Map(nodes.map((node) => [node.metadata.name, remembered(node)]));
}

function remembered(node: KubeNode): RememberedNode {
  const zone = node.metadata.labels?.[zoneLabel];
  return { isReady: isNodeReady(node), zone };
}

/** What could not be asked in a few seconds is unknown. */
export async function unlessUnreachable<T>(
  { clock, signal }: Limits,
  ask: (limit: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await limitTime(clock, patienceMs, "no answer", signal, ask);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof SlipwayError || thrown instanceof TimeLimitError) return undefined;
    throw thrown;
  }
}
