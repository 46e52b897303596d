import { expect, test } from "vitest";
import { testTime } from "../../../test/support/test-time.ts";
import { seededRandom, type Random } from "../../lib/index.ts";
import { WorkQueue, type Requeue } from "./work-queue.ts";

const { clock, background } = testTime();
/** Exactly in the middle: no more and no less. */
const middle: Random = { bytes: () => Buffer.from([0x80, 0, 0, 0]) };

function queue(work: (key: string) => Promise<Requeue | undefined>, workers = 1, random = middle) {
  const retries: number[] = [];
  const end = new AbortController();
  const made = new WorkQueue({
    ...{ clock: background, random, workers, work },
    onFailure: (_key, _thrown, retryMs) => void retries.push(Math.round(retryMs)),
  });
  return { queue: made, retries, end, start: () => made.start(end.signal) };
}

test("a key stands in it once, and whoever changed something comes first", async () => {
  const worked: string[] = [];
  const { queue: made, start } = queue(async (key) => void worked.push(key));
  for (const key of ["a", "b", "a"]) made.add(key, "resync");
  made.add("c", "repair");
  made.add("b", "change");
  made.add("d", "resync");
  expect(made.depth).toBe(4);
  start();
  await made.idle();
  await clock.sleep(1);
  expect(worked).toEqual(["b", "c", "a", "d"]);
});

test("a key is never worked on twice at the same time; what is added meanwhile is worked on once more", async () => {
  let running = 0;
  let most = 0;
  let times = 0;
  const { queue: made, start } = queue(async () => {
    running += 1;
    times += 1;
    most = Math.max(most, running);
    await background.sleep(1_000);
    running -= 1;
    return undefined;
  }, 5);
  start();
  made.add("a", "change");
  await clock.sleep(100);
  for (let again = 0; again < 3; again += 1) made.add("a", "repair");
  expect(made.longestRunningMs).toBe(100);
  await clock.sleep(10_000);
  expect([most, times]).toEqual([1, 2]);
});

test("failures wait 1 s, 2 s, 4 s and at most ten minutes; a success is the end of it", async () => {
  let isBroken = true;
  const {
    queue: made,
    retries,
    start,
  } = queue(() => (isBroken ? Promise.reject(new Error("no")) : Promise.resolve(undefined)));
  start();
  made.add("a", "change");
  await clock.sleep(3 * 3_600_000);
  expect(retries.slice(0, 4)).toEqual([1_000, 2_000, 4_000, 8_000]);
  expect(retries.at(-1)).toBe(600_000);
  isBroken = false;
  await clock.sleep(700_000);
  const before = retries.length;
  isBroken = true;
  made.add("a", "change");
  await clock.sleep(10);
  expect(retries.slice(before)).toEqual([1_000]);
});

test("what failed together comes back a fifth sooner or later", async () => {
  const { queue: made } = queue(async () => undefined, 1, seededRandom("spread"));
  const waits = Array.from({ length: 200 }, () => made.spread(1_000));
  expect(Math.min(...waits)).toBeGreaterThanOrEqual(800);
  expect(Math.max(...waits)).toBeLessThanOrEqual(1_200);
  expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(300);
});

test("a wait holds no worker, and a change does not wait for its end", async () => {
  const worked: string[] = [];
  const { queue: made, start } = queue(async (key) => {
    worked.push(`${key} ${clock.now() - began}`);
    return key === "slow" ? { afterMs: 60_000, priority: "resync" } : undefined;
  });
  const began = clock.now();
  start();
  made.add("slow", "change");
  made.add("other", "resync");
  await clock.sleep(30_000);
  made.add("slow", "change");
  await clock.sleep(45_000);
  expect(worked).toEqual(["slow 0", "other 0", "slow 30000"]);
  await clock.sleep(20_000);
  expect(worked.at(-1)).toBe("slow 90000");
});

test("after its end nothing new begins, and what runs comes to its end", async () => {
  const worked: string[] = [];
  const {
    queue: made,
    start,
    end,
  } = queue(async (key) => {
    await background.sleep(5_000);
    worked.push(key);
    return { afterMs: 10, priority: "repair" };
  });
  start();
  made.add("a", "change");
  made.add("b", "change");
  await clock.sleep(1_000);
  end.abort();
  await Promise.all([made.idle(), clock.sleep(60_000)]);
  expect(worked).toEqual(["a"]);
});
