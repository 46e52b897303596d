import { SlipwayError } from "../errors/index.ts";
import { backoffMs, type Clock } from "../lib/index.ts";

/** How often something is tried in all, however short the outages in between. */
const mostAttempts = 6;

export interface RepeatWorld {
  clock: Clock;
  /** Nothing is tried again once it is aborted. */
  stop: AbortSignal;
  onRepeat(repeat: { attempt: number; because: string; inMs: number }): void;
}

/** Waits out what passes by itself, as an outage of a host's API: steps of a plan and the lock of a run do it alike. */
export async function repeatTransient<T>(
  { clock, stop, onRepeat }: RepeatWorld,
  work: (attempt: number) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work(attempt);
    } catch (thrown) {
      const isWorthRepeating = thrown instanceof SlipwayError && thrown.transient && !stop.aborted;
      if (!isWorthRepeating || attempt === mostAttempts) throw thrown;
      const inMs = backoffMs(attempt, 500, 8_000);
      onRepeat({ attempt: attempt + 1, because: thrown.why, inMs });
      await clock.sleep(inMs, stop);
    }
  }
}
