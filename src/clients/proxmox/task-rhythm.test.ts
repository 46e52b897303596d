import { expect, test } from "vitest";
import { lookDelayMs, TaskDurations } from "./task.ts";

/** At which ages a task that takes so long is looked at, the last time after its end. */
function looksAt(tookMs: number, likelyMs: number | undefined): number[] {
  const ages: number[] = [];
  for (let ageMs = 0; ageMs < tookMs; ages.push(ageMs)) ageMs += lookDelayMs(ageMs, likelyMs);
  return ages;
}

test("a task that takes as long as it usually does is found over at once, with few looks before", () => {
  expect(looksAt(700, 700)).toEqual([730]);
  expect(looksAt(1_800, 1_800)).toEqual([600, 1_200, 1_830]);
  const download = looksAt(38_000, 38_000);
  expect(download.at(-1)).toBe(38_030);
  expect(download.length).toBeLessThanOrEqual(15);
});

test("what takes longer is looked at in short steps at first, then in a small part of its age", () => {
  expect(looksAt(7_500, 6_000).at(-1)).toBeLessThan(8_200);
  const long = looksAt(120_000, 6_000);
  expect(long.at(-1)).toBeLessThan(121_500);
  expect(long.length).toBeLessThan(95);
});

test("what ends early is found when it is half as old again, or four seconds later", () => {
  for (const tookMs of [100, 900, 2_000, 5_000, 9_000, 20_000]) {
    const lateMs = (looksAt(tookMs, 38_000).at(-1) ?? 0) - tookMs;
    expect(lateMs).toBeLessThanOrEqual(Math.min(4_000, Math.max(600, tookMs / 2)));
  }
});

test("a task nobody knows anything about is looked at from the beginning", () => {
  expect(looksAt(400, undefined)).toEqual([150, 300, 450]);
});

test("what was seen of tasks like it counts more than what is usual, the shortest most", () => {
  const durations = new TaskDurations();
  expect(durations.likelyMs("qmcreate", 6_000)).toBe(6_000);
  durations.learn("qmcreate", 9_300);
  durations.learn("qmcreate", 8_100);
  durations.learn("qmcreate", 8_900);
  expect(durations.likelyMs("qmcreate", 6_000)).toBe(8_100);
  expect(durations.likelyMs("qmstart", undefined)).toBeUndefined();
});
