import { isNodeReady, type KubeClient, type KubeNode } from "../../clients/kube/index.ts";
import type { Limits } from "../../lib/index.ts";
import type { RememberedNode } from "../../plan/index.ts";
import { unlessUnreachable } from "./ask-nodes.ts";

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
