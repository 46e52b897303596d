import { expect, test } from "vitest";
import { podState } from "./pod-state.ts";
import type { KubeObject } from "./object.ts";
import { workloadState } from "./workload-state.ts";

const object = (kind: string, fields: object, generation = 2): KubeObject => ({
  apiVersion: "v1",
  kind,
  metadata: { name: "web", namespace: "default", generation },
  ...fields,
});

const looked = { observedGeneration: 2 };
const deployment = (status: object) => object("Deployment", { spec: { replicas: 3 }, status });
const daemonSet = (status: object) => object("DaemonSet", { status });
const condition = (type: string, status: string, reason = "", message = "") => ({
  conditions: [{ type, status, reason, message }],
});

test.each([
  ["a new one", deployment({}), "its controller has not looked at it yet"],
  [
    "an old look",
    deployment({ observedGeneration: 1 }),
    "its controller has not looked at the latest change yet",
  ],
  ["a roll-out", deployment({ ...looked, replicas: 4, updatedReplicas: 1 }), "1 of 3 pods have the new form"],
  [
    "its end",
    deployment({ ...looked, replicas: 4, updatedReplicas: 3, availableReplicas: 3 }),
    "1 old pods are still there",
  ],
  [
    "pods that may not be made",
    deployment({ ...looked, ...condition("ReplicaFailure", "True", "FailedCreate", "violates PodSecurity") }),
    "FailedCreate: violates PodSecurity",
  ],
  [
    "too few",
    deployment({ ...looked, replicas: 3, updatedReplicas: 3, availableReplicas: 1 }),
    "1 of 3 pods are available",
  ],
  [
    "a DaemonSet",
    daemonSet({ ...looked, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 2 }),
    "2 of 3 nodes have its pod available",
  ],
  [
    "a StatefulSet",
    object("StatefulSet", { spec: { replicas: 2 }, status: { ...looked, readyReplicas: 1 } }),
    "1 of 2 pods are ready",
  ],
  ["a Job", object("Job", { status: { active: 1, failed: 2 } }), "1 pods run, 2 have failed"],
  [
    "a claim",
    object("PersistentVolumeClaim", { status: { phase: "Pending" } }),
    "it is not bound to a volume yet",
  ],
  [
    "an APIService",
    object("APIService", { status: condition("Available", "False", "MissingEndpoints", "no endpoints") }),
    "MissingEndpoints: no endpoints",
  ],
  ["a definition", object("CustomResourceDefinition", {}), "it does not say Established yet"],
  [
    "a kind of others",
    object("HelmRelease", { status: condition("Ready", "False", "InstallFailed", "no chart") }),
    "InstallFailed: no chart",
  ],
])("workloadState() is not ready while it sees %s, and says what", (_name, seen, words) => {
  expect(workloadState(seen)).toEqual({ isReady: false, isFailed: false, seen: words });
});

test.each([
  ["a Job that gave up", object("Job", { status: condition("Failed", "True", "BackoffLimitExceeded") })],
  ["a volume that is lost", object("PersistentVolumeClaim", { status: { phase: "Lost" } })],
  [
    "a definition whose names are taken",
    object("CustomResourceDefinition", { status: condition("NamesAccepted", "False", "PluralConflict") }),
  ],
])("workloadState() does not hope for %s", (_name, seen) => {
  expect(workloadState(seen)).toMatchObject({ isReady: false, isFailed: true });
});

test.each([
  [deployment({ ...looked, replicas: 3, updatedReplicas: 3, availableReplicas: 3 })],
  [daemonSet({ ...looked, desiredNumberScheduled: 0 })],
  [object("Job", { status: condition("Complete", "True") })],
  [object("PersistentVolumeClaim", { status: { phase: "Bound" } })],
  [object("ConfigMap", {})],
])("workloadState() is content with what does its work", (seen) => {
  expect(workloadState(seen).isReady).toBe(true);
});

const pod = (status: object) => ({ ...object("Pod", { spec: { nodeName: "worker-1" } }), status });
const container = (fields: object) => ({
  containerStatuses: [{ name: "main", image: "example.com/a:1", ...fields }],
});

test.each([
  [
    "an image that cannot be pulled",
    {
      phase: "Pending",
      ...container({ state: { waiting: { reason: "ImagePullBackOff", message: "not found" } } }),
    },
    'container "main": its image cannot be pulled (example.com/a:1): not found',
  ],
  [
    "a crash loop",
    {
      phase: "Running",
      ...container({
        restartCount: 4,
        state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s" } },
        lastState: { terminated: { exitCode: 137, reason: "OOMKilled" } },
      }),
    },
    'container "main": it crashes again and again, ended with exit code 137 (OOMKilled), 4 restarts',
  ],
  [
    "no node for it",
    {
      phase: "Pending",
      conditions: [
        {
          type: "PodScheduled",
          status: "False",
          reason: "Unschedulable",
          message: "0/3 nodes are available",
        },
      ],
    },
    "no node can run it: 0/3 nodes are available",
  ],
  [
    "a container that is not ready",
    { phase: "Running", ...container({ ready: false }) },
    'container "main" is not ready',
  ],
])("podState() names %s", (_name, status, words) => {
  expect(podState(pod(status) as Parameters<typeof podState>[0])).toMatchObject({
    isReady: false,
    seen: words,
  });
});
