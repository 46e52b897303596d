import { describe, expect, test } from "vitest";
import { SlipwayError } from "../errors/index.ts";
import { realClock } from "../lib/index.ts";
import { findingOfNodes, onlyCause, type Check, type EventBody, type Finding } from "../plan/index.ts";
import { runChecklist } from "./index.ts";

const bad = (why: string) => new SlipwayError({ code: "TEST_BAD", what: "Cannot", why, next: "Mend" });

const check = (id: string, found: Finding | (() => Promise<Finding>), needs: string[] = []): Check => ({
  id,
  title: `Title of ${id}`,
  needs,
  run: typeof found === "function" ? found : async () => found,
});

const nodes = (all: number, faults: Record<string, string>): Finding =>
  findingOfNodes({ all, needed: "all of them", faults }, bad);

const good: Finding = { status: "ok" };

async function run(checks: Check[], signal = new AbortController().signal) {
  const events: EventBody[] = [];
  const results = await runChecklist("verify", "lab", checks, {
    clock: realClock,
    signal,
    tell: (event) => events.push(event),
  });
  return { events, results };
}

const later = (ms: number, finding: Finding) => async () => {
  await realClock.sleep(ms, new AbortController().signal);
  return finding;
};

describe("runChecklist()", () => {
  test("tells checks in their order, whichever ends first", async () => {
    const { events } = await run([check("slow", later(30, good)), check("quick", good)]);
    expect(events.map((event) => event.type === "check" && event.id)).toEqual(["slow", "quick"]);
  });

  test("points at a node that was told of before instead of failing anew", async () => {
    const { results } = await run([
      check("first", nodes(6, { "cp-3": "does not answer" })),
      check("second", nodes(7, { "cp-3": "has no address" })),
      check("third", nodes(6, { "cp-3": "is gone", "cp-1": "is full", "cp-2": "is full" })),
    ]);
    expect(results.map(({ found, because, error }) => [found, because, error?.why])).toEqual([
      ["5 of 6: cp-3 does not answer", undefined, "cp-3 does not answer"],
      ["6 of 7; cp-3 as above", "first", undefined],
      ["3 of 6: cp-1, cp-2 are full; cp-3 as above", undefined, "cp-3 is gone; cp-1, cp-2 are full"],
    ]);
  });

  test("skips what builds on a check that failed as a whole, and names the first of them", async () => {
    const failing = check("api", { status: "failed", error: { code: "X", what: "", why: "", next: "" } });
    const { results } = await run([
      check("plan", good, ["api"]),
      failing,
      check("nodes", good, ["api"]),
      check("pods", good, ["nodes"]),
      check("other", good),
    ]);
    expect(results.map(({ status, found }) => found ?? status)).toEqual([
      "Title of api failed, see below",
      "failed",
      "Title of api as above",
      "Title of api as above",
      "ok",
    ]);
  });

  test("goes on where only some nodes failed, and takes what is thrown for what was found", async () => {
    const { results } = await run([
      check("nodes", nodes(3, { "cp-1": "is silent" })),
      check("next", () => Promise.reject(bad("it broke")), ["nodes"]),
    ]);
    expect(results.map(({ status, error }) => [status, error?.why])).toEqual([
      ["failed", "cp-1 is silent"],
      ["failed", "it broke"],
    ]);
  });

  test("ends only when every check has, also when it is stopped", async () => {
    const stop = new AbortController();
    let isOver = false;
    const stubborn = check("stubborn", async () => {
      stop.abort();
      await realClock.sleep(30, new AbortController().signal);
      isOver = true;
      return good;
    });
    await expect(run([check("first", good), stubborn], stop.signal)).rejects.toThrow("aborted");
    expect(isOver).toBe(true);
  });
});

test("onlyCause() names a node when everything comes from it, and nothing else", () => {
  const cp3 = nodes(3, { "cp-3": "is silent" });
  expect(onlyCause([good, cp3, { ...cp3, status: "warned" }])).toBe("cp-3");
  expect(onlyCause([cp3, nodes(3, { "cp-1": "is silent" })])).toBeUndefined();
  expect(onlyCause([cp3, { status: "failed" }])).toBeUndefined();
});
