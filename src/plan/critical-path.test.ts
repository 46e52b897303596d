import { expect, test } from "vitest";
import { criticalPath, type TimedStep } from "./critical-path.ts";

const timed = (step: string, startMs: number, endMs: number, more: Partial<TimedStep> = {}): TimedStep => ({
  step,
  after: [],
  startMs,
  endMs,
  waitedMs: endMs - startMs,
  queuedMs: 0,
  ...more,
});

test("criticalPath() of nothing is empty", () => {
  expect(criticalPath([])).toEqual({ path: [], floorMs: 0, ownMs: 0 });
});

test("criticalPath() follows what freed each step last", () => {
  const steps = [
    timed("image", 0, 100),
    timed("seed", 0, 20),
    timed("machine", 101, 150, { after: ["image", "seed"] }),
    timed("other", 101, 140, { after: ["image"] }),
    timed("etcd", 152, 200, { after: ["machine", "other"] }),
  ];
  expect(criticalPath(steps)).toEqual({ path: ["image", "machine", "etcd"], floorMs: 197, ownMs: 3 });
});

test("criticalPath() goes through the step that held the lock", () => {
  const steps = [
    timed("a", 0, 50),
    timed("b", 0, 100, { behind: ["a"], queuedMs: 50, waitedMs: 48 }),
    timed("c", 0, 60),
  ];
  expect(criticalPath(steps)).toEqual({ path: ["a", "b"], floorMs: 98, ownMs: 2 });
});

test("criticalPath() counts a queue behind an unknown holder as the hypervisor's time", () => {
  expect(criticalPath([timed("b", 10, 100, { queuedMs: 50, waitedMs: 30 })])).toEqual({
    path: ["b"],
    floorMs: 80,
    ownMs: 20,
  });
});

test("criticalPath() ends even when steps name each other", () => {
  const steps = [timed("a", 0, 50, { after: ["b"] }), timed("b", 0, 50, { after: ["a"] })];
  expect(criticalPath(steps).path).toHaveLength(2);
});
