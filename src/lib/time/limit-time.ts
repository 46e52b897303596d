import type { Clock } from "./clock.ts";
import { onAbort } from "./on-abort.ts";

/** What ends a question that nobody answers: time, or whoever asked. */
export interface Limits {
  clock: Clock;
  signal: AbortSignal;
}

/** Runs `work` with a signal that also aborts after `ms`; the reason is an Error with `message`. */
export async function limitTime<T>(
  clock: Clock,
  ms: number,
  message: string,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let end = (_reason: unknown): void => {};
  const ended = new Promise<never>((_resolve, reject) => {
    end = (reason) => {
      controller.abort(reason);
      reject(reason);
    };
  });
  const cancel = clock.after(ms, () => end(new TimeLimitError(message)));
  const leave = outer && onAbort(outer, () => end(outer.reason));
  if (outer?.aborted) end(outer.reason);
  try {
    return await Promise.race([work(controller.signal), ended]);
  } finally {
    cancel();
    leave?.();
  }
}

export class TimeLimitError extends Error {
  override readonly name = "TimeLimitError";
}
