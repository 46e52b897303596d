import {
  controllerOf,
  labelQuery,
  type KubeClient,
  type KubeObject,
  type KubePod,
  type Selector,
} from "../../clients/kube/index.ts";

/** A pod that is not simply started elsewhere when its node goes. */
export interface PodAtRisk {
  node: string;
  /** closed: its disruption budget lets none go · alone: no other does its work · unmanaged: nobody makes it again. */
  because: "closed" | "alone" | "unmanaged";
  /** The pod, and what is the matter with it. */
  text: string;
}

interface Budget extends KubeObject {
  spec?: { selector?: Selector };
  status?: { disruptionsAllowed?: number; expectedPods?: number };
}

/** Disruption budgets that let no pod leave these nodes as things are, each with a pod that it keeps there. */
export async function closedBudgets(
  kube: KubeClient,
  nodes: ReadonlySet<string>,
  signal?: AbortSignal,
): Promise<PodAtRisk[]> {
  const budgets = await kube.list<Budget>({ apiVersion: "policy/v1", kind: "PodDisruptionBudget" }, signal);
  const found = budgets.items.map(async ({ metadata, spec, status }): Promise<PodAtRisk[]> => {
    const { disruptionsAllowed, expectedPods = 0 } = status ?? {};
    // Without a selector it selects none.
    if (disruptionsAllowed !== 0 || expectedPods === 0 || !spec?.selector) return [];
    const { name, namespace } = metadata;
    const labels = labelQuery(spec.selector);
    const pods = await kube.list<KubePod>({ apiVersion: "v1", kind: "Pod", namespace, labels }, signal);
    const kept = pods.items.filter((each) => isEvicted(each) && nodes.has(each.spec?.nodeName ?? ""));
    const byNode = new Map(kept.map((pod) => [pod.spec?.nodeName ?? "", pod.metadata.name]));
    return [...byNode]
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([node, pod]) => ({
        node,
        because: "closed",
        text: `${namespace}/${name} lets no pod go: ${pod} on ${node}`,
      }));
  });
  return (await Promise.all(found)).flat();
}

/** What a drain leaves where it is, or may take away without asking a budget, is in nobody's way. */
const isEvicted = (pod: KubePod): boolean =>
  controllerOf(pod)?.kind !== "DaemonSet" &&
  pod.status?.phase !== "Succeeded" &&
  pod.status?.phase !== "Failed";
