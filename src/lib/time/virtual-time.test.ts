import { generateKeyPair } from "node:crypto";
import { readFile } from "node:fs/promises";
import net from "node:net";
import { promisify } from "node:util";
import { expect, test, vi } from "vitest";
import { inNextTurn, whileTimeStands } from "./standing-time.ts";
import { virtualTime } from "./virtual-time.ts";

const hour = 3_600_000;

test("an hour passes in no time, and exactly", async () => {
  const { clock } = virtualTime({ startMs: 1_000 });
  const began = performance.now();
  await clock.sleep(hour);
  expect(clock.now()).toBe(1_000 + hour);
  expect(performance.now() - began).toBeLessThan(60_000);
});

test("sleepers wake by time, and in the order they came within one instant", async () => {
  const { clock } = virtualTime({ startMs: 0 });
  const woken: string[] = [];
  const sleep = async (name: string, ms: number) => {
    await clock.sleep(ms);
    woken.push(`${name} at ${clock.now()}`);
  };
  await Promise.all([sleep("c", 20), sleep("a", 10), sleep("d", 20), sleep("b", 10)]);
  expect(woken).toEqual(["a at 10", "b at 10", "c at 20", "d at 20"]);
});

test("time stands still while a file is read, a key is made, a connection is opened", async () => {
  const { clock } = virtualTime({ startMs: 0 });
  const server = net.createServer((socket) => socket.end("hello"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as net.AddressInfo;
  const waiting = clock.sleep(10);
  let isOver = false;
  void waiting.then(() => (isOver = true));
  await readFile(import.meta.filename);
  await whileTimeStands(() => promisify(generateKeyPair)("rsa", { modulusLength: 2048 }));
  await new Promise((resolve) => net.connect(port, "127.0.0.1").on("close", resolve).resume());
  expect({ isOver, now: clock.now() }).toEqual({ isOver: false, now: 0 });
  await waiting;
  expect(clock.now()).toBe(10);
  server.close();
});

test("turns that were put off belong to this moment, however many follow each other", async () => {
  const { clock } = virtualTime({ startMs: 0 });
  const seen: number[] = [];
  const look = (): void => {
    seen.push(clock.now());
    if (seen.length < 20) inNextTurn(look);
  };
  inNextTurn(look);
  await clock.sleep(10);
  expect(seen).toEqual(Array.from({ length: 20 }, () => 0));
});

test("who waits only in the background is woken on the way, and keeps nobody waiting", async () => {
  const { clock, background } = virtualTime({ startMs: 0 });
  const beats: number[] = [];
  const beat = (): void => {
    beats.push(clock.now());
    background.after(1_000, beat);
  };
  background.after(1_000, beat);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(clock.now()).toBe(0);
  await clock.sleep(3_500);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(beats).toEqual([1_000, 2_000, 3_000]);
  expect(clock.now()).toBe(3_500);
});

test("a call that nobody waits for comes in its time, and no time passes for it alone", async () => {
  const { clock } = virtualTime({ startMs: 0 });
  let calledAt = Number.NaN;
  clock.after(1_000, () => (calledAt = clock.now()), { isAwaited: false });
  const cancel = clock.after(2_000, () => expect.unreachable(), { isAwaited: false });
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(clock.now()).toBe(0);
  cancel();
  await clock.sleep(3_000);
  expect(calledAt).toBe(1_000);
});

test("a sleep ends with its signal, a call is cancelled, and time does not go there", async () => {
  const { clock } = virtualTime({ startMs: 0 });
  const stop = new AbortController();
  const sleep = clock.sleep(hour, stop.signal);
  const cancel = clock.after(2 * hour, () => expect.unreachable());
  stop.abort(new Error("enough"));
  cancel();
  await expect(sleep).rejects.toThrow("enough");
  await clock.sleep(1);
  expect(clock.now()).toBe(1);
  await expect(clock.sleep(1, stop.signal)).rejects.toThrow("enough");
});

test("somebody who watches gets a bound: not faster than that, and evenly between two jumps", async () => {
  const { clock, shown } = virtualTime({ startMs: 0, speed: 250 });
  const began = performance.now();
  const looks: number[] = [];
  const looking = setInterval(() => looks.push(shown()), 10);
  await clock.sleep(100_000);
  clearInterval(looking);
  expect(performance.now() - began).toBeGreaterThanOrEqual(399);
  expect(clock.now()).toBe(100_000);
  expect(looks).toEqual(looks.toSorted((a, b) => a - b));
  expect(looks.every((look) => look <= 100_000)).toBe(true);
  expect(looks.some((look) => look > 0 && look < 100_000)).toBe(true);
});

test("the time that is shown does not go back when somebody else begins to wait", async () => {
  const { clock, shown } = virtualTime({ startMs: 0, speed: 250 });
  const waiting = clock.sleep(50_000);
  await vi.waitUntil(() => shown() > 0, { interval: 1 });
  const before = shown();
  const other = clock.sleep(40_000);
  expect(shown()).toBeGreaterThanOrEqual(before);
  await Promise.all([waiting, other]);
});

test("what is on its way holds time, as long as it is", async () => {
  let isUnderWay = true;
  const { clock } = virtualTime({ startMs: 0, isUnderWay: () => isUnderWay });
  const waiting = clock.sleep(10);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(clock.now()).toBe(0);
  isUnderWay = false;
  await waiting;
  expect(clock.now()).toBe(10);
});

test("a loop that waits for something real ends with an error, not with years", async () => {
  const { clock } = virtualTime({ startMs: 0 });
  const polling = (async () => {
    for (;;) await clock.sleep(hour);
  })();
  await expect(polling).rejects.toThrow("virtual time runs away");
  expect(clock.now()).toBeLessThan(30 * hour);
});
