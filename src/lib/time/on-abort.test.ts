import { expect, test } from "vitest";
import { onAbort } from "./on-abort.ts";

test("everybody who waits hears of the end, in the order of coming, and whoever left does not", () => {
  const controller = new AbortController();
  const heard: string[] = [];
  onAbort(controller.signal, () => heard.push("first"));
  const leave = onAbort(controller.signal, () => heard.push("second"));
  onAbort(controller.signal, () => heard.push("third"));
  leave();
  controller.abort();
  expect(heard).toEqual(["first", "third"]);
});

test("ten thousand come and go in the time of their number, not of its square", () => {
  const { signal } = new AbortController();
  const startedAt = process.cpuUsage();
  const leave = Array.from({ length: 10_000 }, () => onAbort(signal, () => {}));
  for (const each of leave) each();
  const { user } = process.cpuUsage(startedAt);
  expect(user / 1000).toBeLessThan(150);
});
