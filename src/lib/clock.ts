/** Time, passed in so that tests and rehearsals can bend it. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  /** Resolves after `ms`; rejects with the signal's reason when it is aborted before. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

export const realClock: Clock = scaledClock(1);

/** A clock that runs `factor` times faster than the wall: a rehearsal of minutes takes seconds. */
export function scaledClock(factor: number): Clock {
  const startedAt = Date.now();
  const startedTicks = performance.now();
  return {
    now: () => startedAt + (performance.now() - startedTicks) * factor,
    sleep: (ms, signal) => sleepReal(ms / factor, signal),
  };
}

function sleepReal(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
