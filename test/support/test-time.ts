import type { SimNetwork } from "../../src/sim/network.ts";
import { limitTime, virtualTime, type Clock } from "../../src/lib/index.ts";

/** The time of a test whose simulator is in its own process: it passes only while the test or the product waits. */
export interface TestTime {
  /** For the product, and for whoever waits. */
  clock: Clock;
  /** For the simulator. */
  background: Clock;
  /** Lets time pass until it is so. */
  until(isSo: () => boolean | Promise<boolean>): Promise<void>;
  /** Lets time pass until it has ended. */
  during<T>(work: Promise<T>): Promise<T>;
}

const everyMs = 100;
/** Nothing here takes that long; what has not come by then does not come. */
const longMs = 24 * 3_600_000;

export function testTime(network?: SimNetwork & { isUnderWay?(): boolean }): TestTime {
  const { clock, background } = virtualTime({ isUnderWay: () => network?.isUnderWay?.() ?? false });
  return {
    clock,
    background,
    async until(isSo) {
      const lateAt = clock.now() + longMs;
      while (!(await isSo())) {
        if (clock.now() > lateAt) throw new Error("a day has passed without it");
        await clock.sleep(everyMs);
      }
    },
    during: (work) => limitTime(clock, longMs, "a day has passed without it", undefined, () => work),
  };
}
