import { isNodeReady, type KubeClient, type KubeNode } from "../../clients/kube/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { limitTime, TimeLimitError } from "../../lib/index.ts";
import type { RememberedNode } from "../../plan/index.ts";

const patienceMs = 5_000;
const zoneLabel = "topology.kubernetes.io/zone";

/** Every node that Kubernetes has an object for. Undefined when it does not answer. */
export async function rememberedNodes(
  open: () => Promise<KubeClient>,
  signal: AbortSignal,
): Promise<Map<string, RememberedNode> | undefined> {
  const nodes = await unlessSilent(signal, async (limit) => (await open()).nodes(limit));
  return nodes && new Map(nodes.map((node) => [node.metadata.name, remembered(node)]));
}

function remembered(node: KubeNode): RememberedNode {
  const zone = node.metadata.labels?.[zoneLabel];
  return { isReady: isNodeReady(node), ...(zone !== undefined && { zone }) };
}

/** What could not be asked in a few seconds is unknown. */
export async function unlessSilent<T>(
  signal: AbortSignal,
  ask: (limit: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await limitTime(patienceMs, "no answer", signal, ask);
  } catch (thrown) {
    signal.throwIfAborted();
    if (thrown instanceof SlipwayError || thrown instanceof TimeLimitError) return undefined;
    throw thrown;
  }
}
