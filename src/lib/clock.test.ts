import { afterEach, expect, test, vi } from "vitest";
import { scaledClock } from "./clock.ts";

afterEach(() => {
  vi.useRealTimers();
});

test("a clock does not follow the date of the machine when that jumps [attack untried: clock jumps]", () => {
  const clock = scaledClock(1);
  const before = clock.now();
  for (const jumpMs of [86_400_000, -86_400_000]) {
    vi.useFakeTimers({ toFake: ["Date"] });
    vi.setSystemTime(before + jumpMs);
    expect(Math.abs(clock.now() - before)).toBeLessThan(60_000);
    vi.useRealTimers();
  }
});
