import type { Clock } from "../../../src/lib/index.ts";

interface Waiting {
  atMs: number;
  run: () => void;
}

/** A clock that stands still until it is moved, and the timers that hang on it. */
export class HandClock implements Clock {
  private nowMs: number;
  private waiting: Waiting[] = [];

  constructor(startMs = Date.parse("2026-07-14T09:31:02.000Z")) {
    this.nowMs = startMs;
  }

  now(): number {
    return this.nowMs;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve));
  }

  after(ms: number, run: () => void): () => void {
    const entry = { atMs: this.nowMs + ms, run };
    this.waiting.push(entry);
    return () => {
      this.waiting = this.waiting.filter((other) => other !== entry);
    };
  }

  /** Goes on, calling back what falls due on the way, in order. */
  advance(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const [next] = this.waiting
        .filter((entry) => entry.atMs <= untilMs)
        .toSorted((a, b) => a.atMs - b.atMs);
      if (!next) break;
      this.waiting = this.waiting.filter((entry) => entry !== next);
      this.nowMs = Math.max(this.nowMs, next.atMs);
      next.run();
    }
    this.nowMs = untilMs;
  }

  /** Leaps on; what fell due is called once, afterwards. */
  jump(ms: number): void {
    this.nowMs += ms;
    const due = this.waiting.filter((entry) => entry.atMs <= this.nowMs);
    this.waiting = this.waiting.filter((entry) => entry.atMs > this.nowMs);
    for (const entry of due) entry.run();
  }

  get pendingCount(): number {
    return this.waiting.length;
  }
}
