import { digText } from "../../store/object.ts";
import { refOf } from "../../store/store.ts";
import type { Cluster } from "../controller.ts";
import {
  createPod,
  isPodReady,
  ownedBy,
  podOf,
  refusedAgainMs,
  templateHash,
  type Workload,
} from "./owned-pods.ts";

const asController = { subresource: "status" };

/** As many pods as wanted; surplus goes, unready first. */
export function runReplicaSet(cluster: Cluster, set: Workload, time: string): number | undefined {
  const { store } = cluster;
  const wanted = set.spec.replicas ?? 1;
  const pods = ownedBy(cluster, set, "Pod").filter((pod) => digText(pod, "status", "phase") !== "Failed");
  const surplus = pods.toSorted((left, right) => Number(isPodReady(left)) - Number(isPodReady(right)));
  for (const pod of surplus.slice(0, Math.max(0, pods.length - wanted))) store.delete(refOf(pod));
  let isRefused = false;
  for (let count = pods.length; count < wanted && !isRefused; count += 1)
    isRefused = !createPod(cluster, set, podOf(set, { generateName: `${set.metadata.name}-` }));
  const left = ownedBy(cluster, set, "Pod");
  const ready = left.filter(isPodReady).length;
  const failure = {
    type: "ReplicaFailure",
    status: "True",
    reason: "FailedCreate",
    lastTransitionTime: time,
  };
  const old = (set["status"] as { conditions?: unknown[] } | undefined)?.conditions;
  const status = {
    replicas: left.length,
    fullyLabeledReplicas: left.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: set.metadata.generation,
    conditions: isRefused ? (old ?? [failure]) : null,
  };
  store.patch(refOf(set), "merge", { status }, asController);
  return isRefused ? refusedAgainMs : undefined;
}

/** Pods with fixed names, each with its claims; the next one is made when the one before it is ready. */
export function runStatefulSet(cluster: Cluster, set: Workload): number | undefined {
  const { store } = cluster;
  const wanted = set.spec.replicas ?? 1;
  const isParallel = set.spec["podManagementPolicy"] === "Parallel";
  const revision = `${set.metadata.name}-${templateHash(set.spec.template)}`;
  const names = Array.from({ length: wanted }, (_, index) => `${set.metadata.name}-${index}`);
  const label = "controller-revision-hash";
  for (const pod of ownedBy(cluster, set, "Pod"))
    if (!names.includes(pod.metadata.name ?? "") || pod.metadata.labels?.[label] !== revision)
      store.delete(refOf(pod));
  let isRefused = false;
  for (const name of names) {
    const ref = { apiVersion: "v1", kind: "Pod", namespace: set.metadata.namespace ?? "", name };
    const labels = { [label]: revision, "statefulset.kubernetes.io/pod-name": name };
    const volumes = claimVolumes(cluster, set, name);
    const pod =
      store.find(ref) ??
      createPod(cluster, set, podOf(set, { name, labels }, { hostname: name, ...volumes }));
    isRefused = pod === undefined;
    if (!pod || (!isParallel && !isPodReady(pod))) break;
  }
  const pods = ownedBy(cluster, set, "Pod");
  const ready = pods.filter(isPodReady).length;
  const status = {
    replicas: pods.length,
    readyReplicas: ready,
    availableReplicas: ready,
    currentReplicas: pods.length,
    updatedReplicas: pods.length,
    currentRevision: revision,
    updateRevision: revision,
    observedGeneration: set.metadata.generation,
  };
  store.patch(refOf(set), "merge", { status }, asController);
  return isRefused ? refusedAgainMs : undefined;
}

interface ClaimTemplate {
  metadata: { name: string; labels?: Record<string, string> };
  spec: unknown;
}

/** The claims of one pod, made when they are not there, as volumes. */
function claimVolumes({ store }: Cluster, set: Workload, pod: string): Record<string, unknown> {
  const templates = (set.spec["volumeClaimTemplates"] ?? []) as ClaimTemplate[];
  if (templates.length === 0) return {};
  const namespace = set.metadata.namespace ?? "default";
  const volumes = templates.map(({ metadata, spec }) => {
    const claim = { apiVersion: "v1", kind: "PersistentVolumeClaim" };
    const name = `${metadata.name}-${pod}`;
    if (!store.find({ ...claim, namespace, name }))
      store.create({ ...claim, metadata: { ...metadata, name, namespace }, spec });
    return { name: metadata.name, persistentVolumeClaim: { claimName: name } };
  });
  const own = (set.spec.template.spec["volumes"] ?? []) as unknown[];
  return { volumes: [...own, ...volumes] };
}
