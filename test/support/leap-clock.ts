import type { Clock } from "../../src/lib/index.ts";

/** A clock that can leap, so that no test has to sit through a deadline. */
export function leapClock(clock: Clock): Clock & { leap(ms: number): void } {
  let leaped = 0;
  return {
    now: () => clock.now() + leaped,
    sleep: (ms, signal) => clock.sleep(ms, signal),
    leap: (ms) => {
      leaped += ms;
    },
  };
}
