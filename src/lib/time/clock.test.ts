import { afterEach, expect, test, vi } from "vitest";
import { realClock, scaledClock } from "./clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a clock does not follow the date of the machine when that jumps [attack untried: clock jumps]", () => {
  const clock = realClock;
  const before = clock.now();
  for (const jumpMs of [86_400_000, -86_400_000]) {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(before + jumpMs);
    expect(Math.abs(clock.now() - before)).toBeLessThan(60_000);
    vi.useRealTimers();
  }
});

test("a fast clock loses no time to a process that is held up", async () => {
  const clock = scaledClock(100);
  const before = clock.now();
  const sleeping = clock.sleep(20_000);
  const until = performance.now() + 500;
  while (performance.now() < until);
  expect(clock.now() - before).toBeLessThan(10_000);
  await sleeping;
  expect(clock.now() - before).toBeGreaterThanOrEqual(19_999);
});

test("a fast clock goes on while nobody sleeps", async () => {
  const clock = scaledClock(100);
  const before = clock.now();
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(clock.now() - before).toBeGreaterThan(19_000);
});
