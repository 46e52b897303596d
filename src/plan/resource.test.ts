import { expect, test } from "vitest";
import { type GraphNode, defineResource, faceOf, same, type AnyResource } from "./resource.ts";

const node: GraphNode = {
  id: "lab/machine/cp-1",
  kind: "toy/machine",
  name: "machine cp-1",
  want: { size: "small" },
  after: [],
  group: "nodes",
  stage: "machines",
  cluster: "lab",
};

test("faceOf() calls a thing by its kind and its step when the kind says nothing", () => {
  expect(faceOf(node)).toEqual({ noun: "machine", label: "cp-1" });
  expect(faceOf({ ...node, id: "lab/config/1", kind: "toy/config", node: "cp-1" })).toEqual({
    noun: "config",
    label: "cp-1",
  });
});

test("faceOf() takes what a kind says of itself, which may follow from what is wanted", () => {
  const toy = defineResource<{ size: string }, { size: string }>({
    kind: "toy/machine",
    face: ({ want }) => ({ label: `${want.size} one`, plural: "machinery" }),
    read: () => Promise.resolve(undefined),
    compare: () => same,
    create: (_ctx, want) => Promise.resolve(want),
    update: (_ctx, want) => Promise.resolve(want),
    remove: () => Promise.resolve(),
  });
  expect(faceOf(node, toy as AnyResource)).toEqual({
    noun: "machine",
    label: "small one",
    plural: "machinery",
  });
});
