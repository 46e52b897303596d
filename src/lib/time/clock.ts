import { onAbort } from "./on-abort.ts";

/** Time, passed in so that tests and rehearsals can bend it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Calls `run` once, after `ms`. Returns what cancels it. For what is not awaited no process stays, and no simulated time
   * passes for it alone.
   */
  after(ms: number, run: () => void, options?: { isAwaited?: boolean }): () => void;
}

const began = { at: Date.now(), ticks: performance.now() };

/** The wall's, without the jumps that its date may make. */
export const realClock: Clock = sleeping({
  now: () => began.at + performance.now() - began.ticks,
  after(ms, run, { isAwaited = true } = {}) {
    const timer = setTimeout(run, ms);
    if (!isAwaited) timer.unref();
    return () => clearTimeout(timer);
  },
});

const beatMs = 20;
/** A machine with too much to do is late by more than this; that is no time of the simulation's. */
const mostMs = 50;

/**
 * A clock that runs `factor` times faster than the wall, for simulations that others talk to from outside. While somebody
 * sleeps it does not run on without this process: one that gets no processor for a second has lost no simulated time.
 */
export function scaledClock(factor: number): Clock {
  const sleepers = new Set<() => void>();
  let nowMs = Date.now();
  let ticks = performance.now();
  let beat: NodeJS.Timeout | undefined;
  const now = (): number => {
    const passed = performance.now() - ticks;
    ticks += passed;
    nowMs += factor * (sleepers.size > 0 ? Math.min(passed, mostMs) : passed);
    return nowMs;
  };
  const forget = (sleeper: () => void): void => {
    sleepers.delete(sleeper);
    if (sleepers.size > 0) return;
    clearInterval(beat);
    beat = undefined;
  };
  return sleeping({
    now,
    after(ms, run, { isAwaited = true } = {}) {
      const atMs = now() + ms;
      let timer: NodeJS.Timeout;
      const lookIn = (restMs: number): void => {
        timer = setTimeout(look, restMs / factor);
        if (!isAwaited) timer.unref();
      };
      const look = (): void => {
        const restMs = atMs - now();
        if (restMs > 0.01) lookIn(restMs);
        else {
          forget(look);
          run();
        }
      };
      lookIn(ms);
      if (isAwaited) {
        sleepers.add(look);
        beat ??= setInterval(now, beatMs);
      }
      return () => {
        clearTimeout(timer);
        forget(look);
      };
    },
  });
}

/** A clock whose `sleep` is made of its `after`. */
export function sleeping(clock: Omit<Clock, "sleep">): Clock {
  return {
    ...clock,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason as Error);
          return;
        }
        const leave =
          signal &&
          onAbort(signal, () => {
            cancel();
            reject(signal.reason as Error);
          });
        const cancel = clock.after(ms, () => {
          leave?.();
          resolve();
        });
      }),
  };
}
