import { controllerOf, isStaticPod, type KubeClient, type KubePod } from "../../clients/kube/index.ts";
import { closedBudgets, type PodAtRisk } from "./closed-budgets.ts";

/** Which pods on these nodes have to be thought of before the nodes go. */
export async function podsAtRisk(
  kube: KubeClient,
  nodes: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<PodAtRisk[]> {
  const [closed, { items }] = await Promise.all([
    closedBudgets(kube, nodes, signal),
    kube.list<KubePod>({ apiVersion: "v1", kind: "Pod" }, signal),
  ]);
  const pods = items.filter(isMoved);
  const copies = new Map<string, number>();
  for (const pod of pods) copies.set(ownerOf(pod), (copies.get(ownerOf(pod)) ?? 0) + 1);
  const single = pods
    .filter((pod) => nodes.has(pod.spec?.nodeName ?? "") && (copies.get(ownerOf(pod)) ?? 0) === 1)
    .map((pod): PodAtRisk => {
      const node = pod.spec?.nodeName ?? "";
      const because = controllerOf(pod) ? "alone" : "unmanaged";
      return { node, because, text: `${pod.metadata.namespace}/${pod.metadata.name} on ${node}` };
    })
    .toSorted((a, b) => (a.node === b.node ? (a.text < b.text ? -1 : 1) : a.node < b.node ? -1 : 1));
  return [...closed, ...single];
}

/** Pods of DaemonSets and of the node itself go and come with it; those of Jobs have an end. */
const isMoved = (pod: KubePod): boolean => {
  const owner = controllerOf(pod)?.kind ?? "";
  const isOver = pod.status?.phase === "Succeeded" || pod.status?.phase === "Failed";
  return !isOver && !isStaticPod(pod) && !["DaemonSet", "Job"].includes(owner);
};

/** What makes it again; a pod that nobody makes again stands for itself. */
function ownerOf(pod: KubePod): string {
  const owner = controllerOf(pod);
  const { namespace = "", name } = pod.metadata;
  return owner ? `${namespace}/${owner.kind}/${owner.name}` : `${namespace}/Pod/${name}`;
}
