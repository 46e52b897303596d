import { digText, isSame, stampOf, type KubeObject } from "../../store/object.ts";
import { matchesLabels, type LabelSelector } from "../../store/selectors.ts";
import { refOf } from "../../store/store.ts";
import { keyOf, refAt, type Cluster, type Controller } from "../controller.ts";
import { hasCondition } from "../nodes/node-fit.ts";

const policy = "policy/v1";
const kindName = "PodDisruptionBudget";

/** Keeps count of how many pods of a budget may be disturbed now. */
export const budgets: Controller = {
  concerns({ object, before, kind, type }, { index }) {
    if (kind.kind === kindName) return type === "DELETED" ? [] : [keyOf(object)];
    if (kind.kind !== "Pod" || kind.group !== "") return [];
    const isSameNews =
      before !== undefined &&
      type !== "DELETED" &&
      hasCondition(before, "Ready") === hasCondition(object, "Ready");
    if (isSameNews) return [];
    return index
      .inNamespace(policy, kindName, object.metadata.namespace)
      .filter((budget) => covers(budget, object))
      .map(keyOf);
  },
  run(key, cluster) {
    const budget = cluster.store.find(refAt(policy, kindName, key));
    if (budget) countBudget(cluster, budget);
    return undefined;
  },
};

export const covers = (budget: KubeObject, pod: KubeObject): boolean => {
  const selector = (budget["spec"] as { selector?: LabelSelector } | undefined)?.selector;
  return selector !== undefined && matchesLabels(selector, pod.metadata.labels ?? {});
};

function countBudget({ store, index }: Cluster, budget: KubeObject): void {
  const pods = index.inNamespace("v1", "Pod", budget.metadata.namespace).filter((pod) => covers(budget, pod));
  const healthy = pods.filter((pod) => hasCondition(pod, "Ready")).length;
  const wanted = pods.length;
  const most = digText(budget, "spec", "maxUnavailable");
  const least = digText(budget, "spec", "minAvailable");
  const desired = most === "" ? share(least, wanted) : Math.max(0, wanted - share(most, wanted));
  const allowed = Math.max(0, healthy - desired);
  const old = budget["status"] as
    | { conditions?: { status: string; lastTransitionTime: string }[] }
    | undefined;
  const isAllowed = allowed > 0 ? "True" : "False";
  const before = old?.conditions?.[0];
  const status = {
    observedGeneration: budget.metadata.generation,
    expectedPods: wanted,
    currentHealthy: healthy,
    desiredHealthy: desired,
    disruptionsAllowed: allowed,
    conditions: [
      {
        type: "DisruptionAllowed",
        status: isAllowed,
        reason: allowed > 0 ? "SufficientPods" : "InsufficientPods",
        message: "",
        observedGeneration: budget.metadata.generation,
        lastTransitionTime:
          before?.status === isAllowed ? before.lastTransitionTime : stampOf(store.clock.now()),
      },
    ],
  };
  if (!isSame(status, budget["status"]))
    store.patch(refOf(budget), "merge", { status }, { subresource: "status" });
}

/** `2` or `50%`, rounded up as the real one does. */
const share = (amount: string, of: number): number =>
  amount.endsWith("%") ? Math.ceil((Number.parseInt(amount, 10) * of) / 100) : Number(amount || 0);
