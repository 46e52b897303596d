import { dig, digList, digText, type KubeObject } from "../../store/object.ts";
import type { LabelSelector } from "../../store/selectors.ts";

/** What a pod asks of the node it runs on. */
export interface Placement {
  nodeSelector?: Record<string, string>;
  nodeName?: string;
  hostNetwork?: boolean;
  tolerations?: { key?: string; operator?: string; value?: string; effect?: string }[];
  affinity?: {
    nodeAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: { nodeSelectorTerms?: NodeTerm[] } };
    podAntiAffinity?: { requiredDuringSchedulingIgnoredDuringExecution?: PodTerm[] };
  };
}

export interface PodTerm {
  topologyKey: string;
  labelSelector?: LabelSelector;
}

interface NodeTerm {
  matchExpressions?: Requirement[];
  matchFields?: Requirement[];
}

interface Requirement {
  key: string;
  operator: string;
  values?: string[];
}

export interface Taint {
  key: string;
  value?: string;
  effect: string;
}

export const isReady = (node: KubeObject): boolean => hasCondition(node, "Ready");

export const hasCondition = (object: KubeObject, type: string): boolean =>
  digList(object, "status", "conditions").some(
    (condition) => digText(condition, "type") === type && digText(condition, "status") === "True",
  );

export const taintsOf = (node: KubeObject): Taint[] => digList(node, "spec", "taints") as Taint[];

export const addressOf = (node: KubeObject): string =>
  digText(
    digList(node, "status", "addresses").find((item) => digText(item, "type") === "InternalIP"),
    "address",
  );

/** Why a pod cannot run on a node, in the scheduler's words; undefined when it can. Resources are not weighed. */
export function whyUnfit(node: KubeObject, pod: Placement, isDaemon: boolean): string | undefined {
  const labels = node.metadata.labels ?? {};
  const isSelected = Object.entries(pod.nodeSelector ?? {}).every(([name, value]) => labels[name] === value);
  if (!isSelected || !isWanted(node, pod)) return "node(s) didn't match Pod's node affinity/selector";
  // Daemon sets put up with nodes that are not ready or cordoned.
  const isBorne = (taint: Taint) => isDaemon && taint.key.startsWith("node.kubernetes.io/");
  const bad = taintsOf(node).find(
    (taint) => taint.effect !== "PreferNoSchedule" && !isBorne(taint) && !isTolerated(taint, pod),
  );
  if (bad) return `node(s) had untolerated taint {${bad.key}: ${bad.value ?? ""}}`;
  const cordon = { key: "node.kubernetes.io/unschedulable", effect: "NoSchedule" };
  if (!isDaemon && dig(node, "spec", "unschedulable") === true && !isTolerated(cordon, pod))
    return "node(s) were unschedulable";
  return undefined;
}

function isWanted(node: KubeObject, pod: Placement): boolean {
  const terms = pod.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  if (terms === undefined) return true;
  const labels = node.metadata.labels ?? {};
  const fields = { "metadata.name": node.metadata.name ?? "" };
  return terms.some(
    ({ matchExpressions = [], matchFields = [] }) =>
      matchExpressions.every((requirement) => isMet(requirement, labels)) &&
      matchFields.every((requirement) => isMet(requirement, fields)),
  );
}

function isMet({ key, operator, values = [] }: Requirement, labels: Record<string, string>): boolean {
  const value = labels[key];
  switch (operator) {
    case "Exists":
      return value !== undefined;
    case "DoesNotExist":
      return value === undefined;
    case "In":
      return value !== undefined && values.includes(value);
    case "NotIn":
      return value === undefined || !values.includes(value);
    case "Gt":
      return Number(value) > Number(values[0]);
    default:
      return Number(value) < Number(values[0]);
  }
}

const isTolerated = (taint: Taint, pod: Placement): boolean =>
  (pod.tolerations ?? []).some(
    (toleration) =>
      (!toleration.effect || toleration.effect === taint.effect) &&
      (toleration.operator === "Exists"
        ? !toleration.key || toleration.key === taint.key
        : toleration.key === taint.key && (toleration.value ?? "") === (taint.value ?? "")),
  );
