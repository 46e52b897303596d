import { expect, test } from "vitest";
import { drainVerdict, type DrainAllowances } from "./drain-rules.ts";
import type { KubePod } from "./kinds/workloads.ts";

const owned = (kind: string) => [{ apiVersion: "apps/v1", kind, name: "owner", uid: "1", controller: true }];

const pod = (fields: {
  metadata?: Partial<KubePod["metadata"]>;
  spec?: KubePod["spec"];
  phase?: "Succeeded" | "Failed" | "Running";
}): KubePod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "web-1", namespace: "default", ...fields.metadata },
  ...(fields.spec && { spec: fields.spec }),
  status: { phase: fields.phase ?? "Running" },
});

const scratch = { volumes: [{ name: "cache", emptyDir: {} }] };
const ofDaemonSet = { metadata: { ownerReferences: owned("DaemonSet") } };
const ofReplicaSet = { metadata: { ownerReferences: owned("ReplicaSet") } };
const all: DrainAllowances = { mayLoseScratch: true, mayLoseUnmanaged: true };

test.each<[string, KubePod, DrainAllowances, string]>([
  ["a pod that comes again elsewhere", pod(ofReplicaSet), {}, "evict"],
  ["a pod with nobody to make it again", pod({}), {}, "refuse"],
  ["the same when its loss is allowed", pod({}), all, "evict"],
  ["a pod with files in an emptyDir", pod({ ...ofReplicaSet, spec: scratch }), {}, "refuse"],
  ["the same when their loss is allowed", pod({ ...ofReplicaSet, spec: scratch }), all, "evict"],
  ["a pod that has ended", pod({ phase: "Succeeded", spec: scratch }), {}, "evict"],
  ["a pod of a DaemonSet", pod(ofDaemonSet), all, "leave"],
  ["an ended pod of a DaemonSet", pod({ ...ofDaemonSet, phase: "Failed" }), {}, "evict"],
  ["a static pod", pod({ metadata: { annotations: { "kubernetes.io/config.mirror": "1" } } }), all, "leave"],
  [
    "a pod that is on its way out",
    pod({ metadata: { deletionTimestamp: "2026-01-01T00:00:00Z" } }),
    {},
    "wait",
  ],
])("drainVerdict() knows %s", (_name, given, allowed, verdict) => {
  expect(drainVerdict(given, new Set(["default/owner"]), allowed).do).toBe(verdict);
});

test("drainVerdict() gives a pod whose DaemonSet is gone up only when its loss is allowed", () => {
  expect(drainVerdict(pod(ofDaemonSet), new Set(), {})).toEqual({
    do: "refuse",
    why: 'its DaemonSet "owner" is gone',
  });
  expect(drainVerdict(pod(ofDaemonSet), new Set(), all).do).toBe("evict");
});
