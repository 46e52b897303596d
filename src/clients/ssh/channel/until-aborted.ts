/** Waits for `work`, but not longer than `signal` allows. The work itself goes on. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(signal.reason as Error);
    const finish = (settle: () => void): void => {
      signal.removeEventListener("abort", leave);
      settle();
    };
    if (signal.aborted) leave();
    else signal.addEventListener("abort", leave, { once: true });
    work.then(
      (value) => finish(() => resolve(value)),
      (error: unknown) => finish(() => reject(error)),
    );
  });
}
