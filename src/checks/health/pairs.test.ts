import { expect, test } from "vitest";
import { choosePairs } from "./try-network.ts";

const names = (count: number): string[] => Array.from({ length: count }, (_, at) => `node-${at}`);

test("in a small cluster everyone asks everyone else", () => {
  const { targets, isSampled } = choosePairs(["a", "b", "c"]);
  expect([isSampled, Object.fromEntries(targets)]).toEqual([
    false,
    { a: ["b", "c"], b: ["c", "a"], c: ["a", "b"] },
  ]);
  expect(choosePairs(["alone"]).targets.get("alone")).toEqual([]);
});

test("in a large one each asks a few, and each is asked by as many", () => {
  const nodes = names(300);
  const { targets, isSampled } = choosePairs(nodes);
  const asked = new Map<string, number>();
  for (const [node, peers] of targets) {
    expect(new Set(peers).size).toBe(9);
    expect(peers).not.toContain(node);
    for (const peer of peers) asked.set(peer, (asked.get(peer) ?? 0) + 1);
  }
  expect(isSampled).toBe(true);
  expect([...asked.values()]).toEqual(nodes.map(() => 9));
});
