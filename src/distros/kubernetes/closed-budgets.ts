import {
  controllerOf,
  labelQuery,
  type KubeClient,
  type KubeObject,
  type KubePod,
  type Selector,
} from "../../clients/kube/index.ts";

interface Budget extends KubeObject {
  spec?: { selector?: Selector };
  status?: { disruptionsAllowed?: number; expectedPods?: number };
}

/** Disruption budgets that let no pod leave these nodes as things are, each with a pod that it keeps there, in words. */
export async function closedBudgets(
  kube: KubeClient,
  nodes: readonly string[],
  signal?: AbortSignal,
): Promise<string[]> {
  const budgets = await kube.list<Budget>({ apiVersion: "policy/v1", kind: "PodDisruptionBudget" }, signal);
  const texts = budgets.items.map(async ({ metadata, spec, status }) => {
    const { disruptionsAllowed, expectedPods = 0 } = status ?? {};
    // Without a selector it selects none.
    if (disruptionsAllowed !== 0 || expectedPods === 0 || !spec?.selector) return [];
    const { name, namespace } = metadata;
    const labels = labelQuery(spec.selector);
    const pods = await kube.list<KubePod>({ apiVersion: "v1", kind: "Pod", namespace, labels }, signal);
    const pod = pods.items.find((each) => isEvicted(each) && nodes.includes(each.spec?.nodeName ?? ""));
    return pod
      ? [`${namespace}/${name} lets no pod go: ${pod.metadata.name} on ${pod.spec?.nodeName ?? ""}`]
      : [];
  });
  return (await Promise.all(texts)).flat();
}

/** What a drain leaves where it is, or may take away without asking a budget, is in nobody's way. */
const isEvicted = (pod: KubePod): boolean =>
  controllerOf(pod)?.kind !== "DaemonSet" &&
  pod.status?.phase !== "Succeeded" &&
  pod.status?.phase !== "Failed";
