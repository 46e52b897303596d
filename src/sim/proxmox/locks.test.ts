import { expect, test } from "vitest";
import { virtualTime } from "../../lib/index.ts";
import { createLocks } from "./locks.ts";

const { clock } = virtualTime();

test("holders of one lock take turns in the order they came", async () => {
  const locks = createLocks(clock);
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(`${name} in`);
    await clock.sleep(100);
    order.push(`${name} out`);
  };
  await Promise.all(["a", "b", "c"].map((name) => locks.hold("f", 10_000, work(name))));
  expect(order).toEqual(["a in", "a out", "b in", "b out", "c in", "c out"]);
});

test("who waits too long fails, and those behind still get their turn", async () => {
  const locks = createLocks(clock);
  const done: string[] = [];
  const long = locks.hold("f", 10_000, () => clock.sleep(5000));
  const impatient = locks.hold("f", 500, () => Promise.resolve(void done.push("impatient")));
  const patient = locks.hold("f", 60_000, () => Promise.resolve(void done.push("patient")));
  await expect(impatient).rejects.toThrow("can't lock file 'f' - got timeout");
  await long;
  await patient;
  expect(done).toEqual(["patient"]);
});

test("work that fails lets the next one in", async () => {
  const locks = createLocks(clock);
  await expect(locks.hold("f", 1000, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await locks.hold("f", 1000, () => Promise.resolve(1))).toBe(1);
});
