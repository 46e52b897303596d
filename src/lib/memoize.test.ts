import { expect, test } from "vitest";
import { memoize } from "./memoize.ts";

test("keepAnswers() asks once for each key, also where many ask at the same time", async () => {
  const asked: string[] = [];
  const find = memoize(async (key) => `${key} ${asked.push(key)}`);

  expect(await Promise.all([find("a"), find("a"), find("b")])).toEqual(["a 1", "a 1", "b 2"]);
  expect(await find("a")).toBe("a 1");
  expect(asked).toEqual(["a", "b"]);
});

test("keepAnswers() asks again after a failure", async () => {
  let calls = 0;
  const find = memoize(async () => {
    calls += 1;
    if (calls === 1) throw new Error("not yet");
    return calls;
  });

  await expect(Promise.all([find("a"), find("a")])).rejects.toThrow("not yet");
  expect(calls).toBe(1);
  expect(await find("a")).toBe(2);
});
