import type { Clock } from "../../src/lib/index.ts";

/** A clock that moves only when it is told to; whoever sleeps can be woken by a signal. */
export class StepClock implements Clock {
  private nowMs = Date.parse("2026-07-14T09:31:02.000Z");
  private readonly waiting = new Set<{ atMs: number; wake: () => void }>();

  now(): number {
    return this.nowMs;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (ms <= 0 || signal?.aborted)
      return signal?.aborted ? Promise.reject(signal.reason as Error) : Promise.resolve();
    return new Promise((resolve, reject) => {
      const entry = { atMs: this.nowMs + ms, wake: resolve };
      this.waiting.add(entry);
      signal?.addEventListener(
        "abort",
        () => {
          this.waiting.delete(entry);
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
  }

  advance(ms: number): void {
    this.nowMs += ms;
    for (const entry of this.waiting) {
      if (entry.atMs > this.nowMs) continue;
      this.waiting.delete(entry);
      entry.wake();
    }
  }
}
