import type { KubeClient, KubeNode } from "../../clients/kube/index.ts";
import type { Cluster } from "../../spec/index.ts";

/** What the checks of a running cluster share: one connection, and answers that several of them need. */
export interface HealthFacts {
  cluster: Cluster;
  kube(): Promise<KubeClient>;
  /** The nodes as Kubernetes knows them, asked once. */
  nodes(signal: AbortSignal): Promise<Map<string, KubeNode>>;
}

export function healthFacts(cluster: Cluster, kube: () => Promise<KubeClient>): HealthFacts {
  let asked: Promise<Map<string, KubeNode>> | undefined;
  const ask = async (signal: AbortSignal) =>
    new Map((await (await kube()).nodes(signal)).map((node) => [node.metadata.name, node]));
  return { cluster, kube, nodes: (signal) => (asked ??= ask(signal)) };
}

/** Everything below needs an API that answers. */
export const needsApi = ["kubernetes-api"];
/** What makes objects needs an etcd that takes them, too. */
export const needsWrites = ["etcd-healthy", "kubernetes-api"];
