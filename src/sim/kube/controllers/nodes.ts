import { dig, digList, digText, type KubeObject } from "../object.ts";

/** What a pod asks of the node it runs on. */
export interface Placement {
  nodeSelector?: Record<string, string>;
  nodeName?: string;
  hostNetwork?: boolean;
  tolerations?: { key?: string; operator?: string; value?: string; effect?: string }[];
}

interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export const isReady = (node: KubeObject): boolean =>
  digList(node, "status", "conditions").some(
    (condition) => digText(condition, "type") === "Ready" && digText(condition, "status") === "True",
  );

/** Selector, cordon and taints; resources are not weighed. */
export function fits(node: KubeObject, pod: Placement, isDaemon: boolean): boolean {
  const labels = node.metadata.labels ?? {};
  if (!Object.entries(pod.nodeSelector ?? {}).every(([name, value]) => labels[name] === value)) return false;
  if (isDaemon) return taintsOf(node).every((taint) => isLifecycle(taint) || isTolerated(taint, pod));
  if (dig(node, "spec", "unschedulable") === true || !isReady(node)) return false;
  return taintsOf(node).every((taint) => isTolerated(taint, pod));
}

const taintsOf = (node: KubeObject): Taint[] =>
  (digList(node, "spec", "taints") as Taint[]).filter((taint) => taint.effect !== "PreferNoSchedule");

/** Daemon sets put up with nodes that are not ready or cordoned. */
const isLifecycle = (taint: Taint): boolean => taint.key.startsWith("node.kubernetes.io/");

const isTolerated = (taint: Taint, pod: Placement): boolean =>
  (pod.tolerations ?? []).some(
    (toleration) =>
      (toleration.effect === undefined || toleration.effect === taint.effect) &&
      (toleration.operator === "Exists"
        ? toleration.key === undefined || toleration.key === taint.key
        : toleration.key === taint.key && (toleration.value ?? "") === (taint.value ?? "")),
  );
