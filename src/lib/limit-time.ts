/** Runs `work` with a signal that also aborts after `ms`; the reason is an Error with `message`. */
export async function limitTime<T>(
  ms: number,
  message: string,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(new TimeLimitError(message)), ms);
  const signal = outer ? AbortSignal.any([outer, controller.signal]) : controller.signal;
  try {
    return await Promise.race([work(signal), rejectOnAbort(signal)]);
  } finally {
    clearTimeout(timer);
  }
}

export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
}
