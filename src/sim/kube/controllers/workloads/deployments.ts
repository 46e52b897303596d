import { digList, digNumber, digText, type KubeObject } from "../../store/object.ts";
import type { KubeStore } from "../../store/store.ts";
import { refOf } from "../../store/store.ts";
import type { Cluster } from "../controller.ts";
import { ownedBy, ownerReferences, templateHash, type Workload } from "./owned-pods.ts";

const hashLabel = "pod-template-hash";

/** One replica set per template; the old ones shrink to nothing when the new one is ready. */
export function runDeployment(cluster: Cluster, deployment: Workload, time: string): number | undefined {
  const { store, clock } = cluster;
  const wanted = deployment.spec.replicas ?? 1;
  const hash = templateHash(deployment.spec.template);
  const sets = ownedBy(cluster, deployment, "ReplicaSet");
  const current =
    sets.find((set) => set.metadata.labels?.[hashLabel] === hash) ?? createSet(store, deployment, hash);
  scale(store, current, wanted);
  const old = sets.filter((set) => set.metadata.uid !== current.metadata.uid);
  const ready = digNumber(current, "status", "readyReplicas");
  if (ready >= wanted) for (const set of old) scale(store, set, 0);
  const count = (field: string) =>
    [...old, current].reduce((sum, set) => sum + digNumber(set, "status", field), 0);
  const available = count("availableReplicas");
  const isAvailable = available >= wanted;
  const isComplete = isAvailable && ready >= wanted && count("replicas") === wanted;
  const deadlineMs = digNumber(deployment, "spec", "progressDeadlineSeconds") * 1000;
  const leftMs = isComplete ? undefined : progressSince(deployment, current) + deadlineMs - clock.now();
  const isLate = leftMs !== undefined && leftMs <= 0;
  const conditions = [
    isAvailable
      ? condition("Available", "True", "MinimumReplicasAvailable", "Deployment has minimum availability.")
      : condition(
          "Available",
          "False",
          "MinimumReplicasUnavailable",
          "Deployment does not have minimum availability.",
        ),
    isComplete
      ? condition(
          "Progressing",
          "True",
          "NewReplicaSetAvailable",
          `ReplicaSet "${current.metadata.name}" has successfully progressed.`,
        )
      : isLate
        ? condition(
            "Progressing",
            "False",
            "ProgressDeadlineExceeded",
            `ReplicaSet "${current.metadata.name}" has timed out progressing.`,
          )
        : condition(
            "Progressing",
            "True",
            "ReplicaSetUpdated",
            `ReplicaSet "${current.metadata.name}" is progressing.`,
          ),
    ...(digList(current, "status", "conditions").length > 0
      ? [condition("ReplicaFailure", "True", "FailedCreate", refusalOf(cluster, current))]
      : []),
  ].map((wantedCondition) => withTimes(deployment, wantedCondition, time));
  const status = {
    observedGeneration: deployment.metadata.generation,
    replicas: count("replicas"),
    updatedReplicas: digNumber(current, "status", "replicas"),
    readyReplicas: count("readyReplicas"),
    availableReplicas: available,
    unavailableReplicas: available < wanted ? wanted - available : null,
    conditions,
  };
  store.patch(refOf(deployment), "merge", { status }, { subresource: "status" });
  return leftMs !== undefined && leftMs > 0 ? leftMs : undefined;
}

/** When the last progress was: since then the deadline runs. */
function progressSince(deployment: Workload, current: KubeObject): number {
  const old = digList(deployment, "status", "conditions").find(
    (item) => digText(item, "type") === "Progressing",
  );
  const sinceMs = Date.parse(digText(old, "lastUpdateTime"));
  const madeMs = Date.parse(current.metadata.creationTimestamp ?? "");
  const isOfThisSet = digText(old, "message").includes(`"${current.metadata.name}"`);
  return isOfThisSet ? Math.max(sinceMs, madeMs) : madeMs;
}

/** What the server said when it refused a pod. */
function refusalOf({ index }: Cluster, set: KubeObject): string {
  const told = index
    .inNamespace("v1", "Event", set.metadata.namespace)
    .find(
      (event) =>
        digText(event, "involvedObject", "uid") === set.metadata.uid && event["reason"] === "FailedCreate",
    );
  return digText(told, "message").replace(/^Error creating: /, "");
}

function createSet(store: KubeStore, deployment: Workload, hash: string): KubeObject {
  const { template, selector, replicas } = deployment.spec;
  const labels = { ...template.metadata?.labels, [hashLabel]: hash };
  return store.create({
    apiVersion: "apps/v1",
    kind: "ReplicaSet",
    metadata: {
      name: `${deployment.metadata.name}-${hash}`,
      namespace: deployment.metadata.namespace ?? "default",
      labels,
      ownerReferences: ownerReferences(deployment) ?? [],
    },
    spec: {
      replicas,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [hashLabel]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
    },
  });
}

function scale(store: KubeStore, set: KubeObject, replicas: number): void {
  if (digNumber(set, "spec", "replicas") !== replicas)
    store.patch(refOf(set), "merge", { spec: { replicas } });
}

interface Condition {
  type: string;
  status: string;
  reason: string;
  message: string;
}

const condition = (type: string, status: string, reason: string, message: string): Condition => ({
  type,
  status,
  reason,
  message,
});

/** Times change only with the thing they stand for, or the status would never come to rest. */
function withTimes(deployment: Workload, wanted: Condition, time: string) {
  const status = deployment["status"] as { conditions?: (Condition & Times)[] } | undefined;
  const old = status?.conditions?.find((item) => item.type === wanted.type);
  const isSameReason =
    old !== undefined && digText(old, "reason") === wanted.reason && old.message === wanted.message;
  return {
    ...wanted,
    lastUpdateTime: isSameReason ? old.lastUpdateTime : time,
    lastTransitionTime: old?.status === wanted.status ? old.lastTransitionTime : time,
  };
}

interface Times {
  lastUpdateTime: string;
  lastTransitionTime: string;
}
