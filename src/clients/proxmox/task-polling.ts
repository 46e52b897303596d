import type { Clock } from "../../lib/index.ts";

/** The more tasks there are, the more ends one look tells of. */
const spacingMs = (tasks: number): number => (tasks > 1 ? Math.min(1_000, 200 + 30 * tasks) : 0);

/** Somebody who waits to hear of a task. */
interface Waiter<State> {
  upid: string;
  dueMs: number;
  hear(state: Promise<State>): void;
}

/**
 * Looks at the tasks of one node. One list tells of all of them, so whoever waits here waits for the same look: it comes
 * when the first of them is due, and the others hear sooner than they asked to.
 */
export class TaskPolling<State> {
  private readonly clock: Clock;
  /** The states of these tasks, by UPID. One that is missing is asked for by itself. */
  private readonly ask: (upids: string[]) => Promise<Map<string, State>>;
  private readonly askOne: (upid: string) => Promise<State>;
  private readonly waiters = new Set<Waiter<State>>();
  /** Ends the sleep until the next look: somebody is due before. */
  private wake: (() => void) | undefined;
  private isLooking = false;
  private lookedAtMs = -Infinity;

  constructor(
    clock: Clock,
    ask: (upids: string[]) => Promise<Map<string, State>>,
    askOne: (upid: string) => Promise<State>,
  ) {
    this.clock = clock;
    this.ask = ask;
    this.askOne = askOne;
  }

  /** The state of a task by a look that begins when it is due, or sooner. */
  next(upid: string, dueMs: number, signal: AbortSignal | undefined): Promise<State> {
    return new Promise((resolve, reject) => {
      const leave = (): void => {
        this.waiters.delete(waiter);
        this.wake?.();
        reject(signal?.reason as Error);
      };
      const waiter: Waiter<State> = {
        upid,
        dueMs,
        hear: (state) => {
          signal?.removeEventListener("abort", leave);
          resolve(state);
        },
      };
      signal?.throwIfAborted();
      signal?.addEventListener("abort", leave, { once: true });
      this.waiters.add(waiter);
      this.wake?.();
      if (!this.isLooking) void this.pollWhileWaited();
    });
  }

  private async pollWhileWaited(): Promise<void> {
    this.isLooking = true;
    while (this.waiters.size > 0) {
      const firstDueMs = Math.min(...[...this.waiters].map((waiter) => waiter.dueMs));
      const dueMs = Math.max(firstDueMs, this.lookedAtMs + spacingMs(this.waiters.size));
      const leftMs = dueMs - this.clock.now();
      if (leftMs > 0) await this.sleep(leftMs);
      else await this.look();
    }
    this.isLooking = false;
  }

  private async sleep(ms: number): Promise<void> {
    const woken = new AbortController();
    this.wake = () => woken.abort();
    await this.clock.sleep(ms, woken.signal).catch(() => undefined);
    this.wake = undefined;
  }

  /** Tells everybody who waits by now; nobody who comes meanwhile hears of a look that began before. */
  private async look(): Promise<void> {
    const heard = [...this.waiters];
    this.waiters.clear();
    const [first, ...others] = heard;
    if (!first) return;
    this.lookedAtMs = this.clock.now();
    if (others.length === 0) {
      const state = this.askOne(first.upid);
      first.hear(state);
      await state.catch(() => undefined);
      return;
    }
    const states = this.ask(heard.map(({ upid }) => upid));
    for (const waiter of heard)
      waiter.hear(states.then((known) => known.get(waiter.upid) ?? this.askOne(waiter.upid)));
    await states.catch(() => undefined);
  }
}
