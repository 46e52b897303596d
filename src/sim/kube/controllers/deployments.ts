import { digNumber, digText, type KubeObject } from "../object.ts";
import type { KubeStore } from "../store.ts";
import { refOf } from "../store.ts";
import { ownedBy, ownerReferences, templateHash, type Workload } from "./owned.ts";

const hashLabel = "pod-template-hash";

/** One replica set per template; the old ones shrink to nothing when the new one is ready. */
export function runDeployment(store: KubeStore, deployment: Workload, time: string): void {
  const wanted = deployment.spec.replicas ?? 1;
  const hash = templateHash(deployment.spec.template);
  const sets = ownedBy(store, deployment, "apps/v1", "ReplicaSet");
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
      : condition(
          "Progressing",
          "True",
          "ReplicaSetUpdated",
          `ReplicaSet "${current.metadata.name}" is progressing.`,
        ),
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
