import { recordEvent } from "../../store/events.ts";
import { digList, digText, isSame, stampOf, type KubeObject } from "../../store/object.ts";
import { matchesLabels } from "../../store/selectors.ts";
import { refOf } from "../../store/store.ts";
import type { Cluster } from "../controller.ts";
import { whyUnfit, type Placement, type PodTerm } from "./node-fit.ts";
import { claimsOf, unboundReason } from "../pod-claims.ts";

/** Puts a pod on the fitting node with the fewest pods, or says in the scheduler's words why there is none. */
export function schedulePod(cluster: Cluster, pod: KubeObject): void {
  const { store, faults } = cluster;
  if (digText(pod, "spec", "schedulerName") !== "default-scheduler") return;
  if (digList(pod, "spec", "schedulingGates").length > 0) return;
  const nodes = store.list({ apiVersion: "v1", kind: "Node" });
  const claims = unboundReason(cluster, pod);
  if (claims !== undefined) {
    refuse(cluster, pod, `0/${nodes.length} nodes are available: ${claims}`);
    return;
  }
  const workload = `${pod.metadata.namespace}/${pod.metadata.name}`;
  const fault = faults.find("unschedulable", {
    workload,
    image: digText(digList(pod, "spec", "containers")[0], "image"),
  });
  const reasons = nodes.map((node) =>
    fault
      ? (fault.message ?? "Insufficient memory")
      : (whyUnfit(node, pod["spec"] as Placement, false) ?? whyCrowded(cluster, pod, node)),
  );
  const fitting = nodes.filter((_, at) => reasons[at] === undefined);
  const [first, ...others] = fitting;
  if (!first) {
    refuse(cluster, pod, noNodes(nodes.length, reasons));
    return;
  }
  const usedBy = (node: KubeObject) => cluster.index.podCount(node.metadata.name ?? "");
  const best = others.reduce((least, node) => (usedBy(node) < usedBy(least) ? node : least), first);
  bindPod(cluster, pod, best.metadata.name ?? "");
}

function bindPod(cluster: Cluster, pod: KubeObject, nodeName: string): void {
  const { store } = cluster;
  for (const claim of claimsOf(cluster, pod)) {
    const selected = { "volume.kubernetes.io/selected-node": nodeName };
    if (digText(claim, "status", "phase") === "Pending")
      store.patch(refOf(claim), "merge", { metadata: { annotations: selected } });
  }
  store.patch(refOf(pod), "merge", { spec: { nodeName } }, { fieldManager: "kube-scheduler" });
  const time = stampOf(store.clock.now());
  const conditions = [
    { type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: time },
  ];
  store.patch(refOf(pod), "merge", { status: { startTime: time, conditions } }, byKubelet);
}

export const byKubelet = { fieldManager: "kubelet", subresource: "status" };

/** Pods that must not share a place with their like, and host ports that are taken. */
function whyCrowded({ index, store }: Cluster, pod: KubeObject, node: KubeObject): string | undefined {
  const terms =
    (pod["spec"] as Placement).affinity?.podAntiAffinity?.requiredDuringSchedulingIgnoredDuringExecution ??
    [];
  const isApart = (term: PodTerm) => {
    const place = node.metadata.labels?.[term.topologyKey];
    const neighbours = store
      .list({ apiVersion: "v1", kind: "Node" })
      .filter((other) => other.metadata.labels?.[term.topologyKey] === place)
      .flatMap((other) => index.podsOn(other.metadata.name ?? ""));
    return !neighbours.some(
      (other) =>
        other.metadata.namespace === pod.metadata.namespace &&
        matchesLabels(term.labelSelector, other.metadata.labels ?? {}),
    );
  };
  if (!terms.every(isApart)) return "node(s) didn't match pod anti-affinity rules";
  const ports = hostPortsOf(pod);
  if (ports.length === 0) return undefined;
  const taken = new Set(index.podsOn(node.metadata.name ?? "").flatMap(hostPortsOf));
  return ports.some((port) => taken.has(port))
    ? "node(s) didn't have free ports for the requested pod ports"
    : undefined;
}

const hostPortsOf = (pod: KubeObject): string[] =>
  digList(pod, "spec", "containers").flatMap((container) =>
    digList(container, "ports")
      .filter((port) => digText(port, "hostPort") !== "" && digText(port, "hostPort") !== "0")
      .map((port) => `${digText(port, "hostPort")}/${digText(port, "protocol")}`),
  );

function noNodes(total: number, reasons: (string | undefined)[]): string {
  if (total === 0) return "no nodes available to schedule pods";
  const counts = new Map<string, number>();
  for (const reason of reasons) if (reason !== undefined) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const told = [...counts].map(([reason, count]) => `${count} ${reason}`).toSorted();
  return `0/${total} nodes are available: ${told.join(", ")}. preemption: 0/${total} nodes are available: ${total} Preemption is not helpful for scheduling.`;
}

function refuse({ store }: Cluster, pod: KubeObject, message: string): void {
  const old = digList(pod, "status", "conditions");
  const before = old.find((item) => digText(item, "type") === "PodScheduled");
  const wanted = { type: "PodScheduled", status: "False", reason: "Unschedulable", message };
  if (before && isSame({ ...wanted }, withoutTimes(before))) return;
  const time = stampOf(store.clock.now());
  const conditions = [{ ...wanted, lastProbeTime: null, lastTransitionTime: time }];
  store.patch(
    refOf(pod),
    "merge",
    { status: { conditions } },
    { ...byKubelet, fieldManager: "kube-scheduler" },
  );
  recordEvent(store, pod, { reason: "FailedScheduling", message, from: "default-scheduler" });
}

function withoutTimes(condition: unknown): unknown {
  const { lastProbeTime: _probe, lastTransitionTime: _at, ...rest } = condition as Record<string, unknown>;
  return rest;
}
