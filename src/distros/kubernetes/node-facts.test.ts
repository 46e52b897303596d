import { expect, test } from "vitest";
import type { KubeNode } from "../../clients/kube/index.ts";
import { factChanges, factPatch, isPatched, type NodeFacts } from "./node-facts.ts";

const facts: NodeFacts = { labels: { disk: "ssd" }, annotations: {}, taints: { gpu: "yes:NoSchedule" } };

const nodeWith = (
  more: Partial<KubeNode["metadata"]>,
  taints: { key: string; effect: string }[] = [],
): KubeNode => ({
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "worker-1", ...more },
  spec: { taints },
});

/** What the API server makes of a merge patch. */
function merged(node: KubeNode, patch: unknown): KubeNode {
  const { metadata, spec } = patch as {
    metadata: Record<string, Record<string, string | null>>;
    spec?: KubeNode["spec"];
  };
  const merge = (old: Record<string, string> = {}, next: Record<string, string | null> = {}) =>
    Object.fromEntries(
      Object.entries({ ...old, ...next }).filter((entry): entry is [string, string] => entry[1] !== null),
    );
  return {
    ...node,
    metadata: {
      ...node.metadata,
      labels: merge(node.metadata.labels, metadata["labels"]),
      annotations: merge(node.metadata.annotations, metadata["annotations"]),
    },
    ...(spec ? { spec } : {}),
  };
}

test("what is missing is put there, and what others put there stays", () => {
  const node = nodeWith({ labels: { theirs: "1" } }, [
    { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" },
  ]);
  expect(factChanges(node, facts).map(({ to }) => to)).toEqual(["disk=ssd", "gpu=yes:NoSchedule"]);
  const done = merged(node, factPatch(node, facts));
  expect(factChanges(done, facts)).toEqual([]);
  expect(isPatched(done, facts)).toBe(false);
  expect(done.metadata.labels).toEqual({ theirs: "1", disk: "ssd" });
  expect(done.spec?.taints?.map(({ key }) => key)).toEqual(["node.kubernetes.io/not-ready", "gpu"]);
});

test("what has left the file goes, and only that", () => {
  const before = merged(
    nodeWith({ labels: { theirs: "1" } }),
    factPatch(nodeWith({ labels: { theirs: "1" } }), facts),
  );
  const nothing: NodeFacts = { labels: {}, annotations: {}, taints: {} };
  expect(factChanges(before, nothing).map(({ from, to }) => `${from} → ${to}`)).toEqual([
    "disk=ssd → none",
    "gpu=yes:NoSchedule → none",
  ]);
  const done = merged(before, factPatch(before, nothing));
  expect(done.metadata.labels).toEqual({ theirs: "1" });
  expect(done.spec?.taints).toEqual([]);
});

test("what a node registered with is remembered as ours, so that it can go later", () => {
  const node = nodeWith({ labels: { disk: "ssd" } });
  const onlyLabel = { ...facts, taints: {} };
  expect(factChanges(node, onlyLabel)).toEqual([]);
  expect(isPatched(node, onlyLabel)).toBe(true);
  expect(isPatched(nodeWith({}), { labels: {}, annotations: {}, taints: {} })).toBe(false);
});
