import { expect, test } from "vitest";
import { realClock } from "../../lib/index.ts";
import { TaskPolling } from "./task-polling.ts";

/** What was asked, and answers that say which look they come from. */
function looks(answerMs = 0) {
  const asked: string[][] = [];
  const ask = async (upids: string[]): Promise<string> => {
    const look = asked.push(upids);
    if (answerMs > 0) await realClock.sleep(answerMs);
    return `look ${look}`;
  };
  const all = new TaskPolling<string>(
    realClock,
    async (upids) => {
      const answer = await ask(upids);
      // The list does not know the newest.
      return new Map(upids.filter((upid) => upid !== "newest").map((upid) => [upid, answer]));
    },
    (upid) => ask([upid]),
  );
  const next = (upid: string, inMs: number, signal?: AbortSignal) =>
    all.next(upid, realClock.now() + inMs, signal);
  return { asked, next };
}

test("whoever waits for a task of the node hears with the first who is due", async () => {
  const { asked, next } = looks();
  const heard = await Promise.all([next("a", 5_000), next("b", 20), next("c", 900)]);
  expect(heard).toEqual(["look 1", "look 1", "look 1"]);
  expect(asked).toEqual([["a", "b", "c"]]);
});

test("a task that waits alone is asked for by itself, and one that a list does not know as well", async () => {
  const { asked, next } = looks();
  expect(await next("a", 5)).toBe("look 1");
  expect(await Promise.all([next("a", 5), next("newest", 5)])).toEqual(["look 2", "look 3"]);
  expect(asked).toEqual([["a"], ["a", "newest"], ["newest"]]);
});

test("nobody is told of a look that began before he asked", async () => {
  const { next } = looks(30);
  const first = next("a", 0);
  await realClock.sleep(10);
  expect(await Promise.all([first, next("b", 0)])).toEqual(["look 1", "look 2"]);
});

test("whoever stops waiting is gone at once, and the others hear when they are due", async () => {
  const { asked, next } = looks();
  const stop = new AbortController();
  const stopped = next("a", 10_000, stop.signal);
  const other = next("b", 30);
  stop.abort(new Error("enough"));
  await expect(stopped).rejects.toThrow("enough");
  expect(await other).toBe("look 1");
  expect(asked).toEqual([["b"]]);
});

test("a look that fails is told to all who waited for it, and the next one looks again", async () => {
  let isBroken = true;
  const all = new TaskPolling<string>(
    realClock,
    async (upids) => {
      if (isBroken) throw new Error("cut");
      return new Map(upids.map((upid) => [upid, "fine"]));
    },
    async () => "alone",
  );
  const next = (upid: string) => all.next(upid, realClock.now() + 20, undefined);
  const both = await Promise.allSettled([next("a"), next("b")]);
  expect(both.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
  isBroken = false;
  expect(await Promise.all([next("a"), next("b")])).toEqual(["fine", "fine"]);
});
