import { digText, type KubeObject } from "../object.ts";
import type { KubeStore } from "../store.ts";
import { refOf } from "../store.ts";
import { isPodReady, ownedBy, podOf, templateHash, type Workload } from "./owned.ts";

const asController = { subresource: "status" };

/** As many pods as wanted; surplus goes, unready first. */
export function runReplicaSet(store: KubeStore, set: Workload): void {
  const wanted = set.spec.replicas ?? 1;
  const pods = ownedBy(store, set, "v1", "Pod");
  const surplus = pods.toSorted((left, right) => Number(isPodReady(left)) - Number(isPodReady(right)));
  for (const pod of surplus.slice(0, Math.max(0, pods.length - wanted))) store.delete(refOf(pod));
  for (let count = pods.length; count < wanted; count += 1)
    store.create(podOf(set, { generateName: `${set.metadata.name}-` }));
  const left = ownedBy(store, set, "v1", "Pod");
  const ready = left.filter(isPodReady).length;
  const status = {
    replicas: left.length,
    fullyLabeledReplicas: left.length,
    readyReplicas: ready,
    availableReplicas: ready,
    observedGeneration: set.metadata.generation,
  };
  store.patch(refOf(set), "merge", { status }, asController);
}

/** Pods with fixed names; the next one is made when the one before it is ready. */
export function runStatefulSet(store: KubeStore, set: Workload): void {
  const wanted = set.spec.replicas ?? 1;
  const revision = `${set.metadata.name}-${templateHash(set.spec.template)}`;
  const names = Array.from({ length: wanted }, (_, index) => `${set.metadata.name}-${index}`);
  const label = "controller-revision-hash";
  for (const pod of ownedBy(store, set, "v1", "Pod"))
    if (!names.includes(pod.metadata.name ?? "") || pod.metadata.labels?.[label] !== revision)
      store.delete(refOf(pod));
  for (const name of names) {
    const ref = { apiVersion: "v1", kind: "Pod", namespace: set.metadata.namespace ?? "", name };
    const pod = store.find(ref) ?? store.create(podOf(set, { name, labels: { [label]: revision } }));
    if (!isPodReady(pod)) break;
  }
  const pods = ownedBy(store, set, "v1", "Pod");
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
}

/** Runs its pods once; in the simulation they always succeed. */
export function runJob(store: KubeStore, job: Workload, time: string): void {
  const wanted = job.spec.completions ?? 1;
  const pods = ownedBy(store, job, "v1", "Pod");
  for (let count = pods.length; count < wanted; count += 1)
    store.create(podOf(job, { generateName: `${job.metadata.name}-`, labels: jobLabels(job) }));
  const succeeded = pods.filter((pod) => digText(pod, "status", "phase") === "Succeeded").length;
  const old = job["status"] as { startTime?: string; completionTime?: string } | undefined;
  if (old?.completionTime !== undefined) return;
  const isDone = succeeded >= wanted;
  const condition = (type: string) => ({
    type,
    status: "True",
    lastProbeTime: time,
    lastTransitionTime: time,
  });
  const status = {
    startTime: old?.startTime ?? time,
    active: wanted - succeeded,
    succeeded,
    ...(isDone && {
      completionTime: time,
      conditions: [condition("SuccessCriteriaMet"), condition("Complete")],
    }),
  };
  store.patch(refOf(job), "merge", { status }, asController);
}

const jobLabels = (job: KubeObject): Record<string, string> => ({
  "batch.kubernetes.io/job-name": job.metadata.name ?? "",
  "batch.kubernetes.io/controller-uid": job.metadata.uid ?? "",
});
