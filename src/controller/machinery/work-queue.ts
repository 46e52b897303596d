import { backoffMs, type Clock, type Random } from "../../lib/index.ts";

/** Whoever changed something waits in front of what repairs itself, and that in front of what is only looked at again. */
const priorities = ["change", "repair", "resync"] as const;
export type Priority = (typeof priorities)[number];

/** What the work on a key ends with: when to come back, if at all. */
export interface Requeue {
  afterMs: number;
  priority: Priority;
}

export interface WorkQueueOptions {
  clock: Clock;
  random: Random;
  /** How many keys are worked on at the same time. */
  workers: number;
  /** Throws: tried again after a while, longer each time. */
  work(key: string, signal: AbortSignal): Promise<Requeue | undefined>;
  onFailure?(key: string, thrown: unknown, retryMs: number): void;
  onAdded?(key: string): void;
  onStarted?(key: string, waitedMs: number): void;
}

const firstMs = 1_000;
const mostMs = 10 * 60_000;
const jitter = 0.2;

/**
 * Keys that wait for work. A key stands in it once, and is never worked on twice at the same time: what is added meanwhile is
 * worked on once more. Failures are tried again after 1 s, 2 s, 4 s … 10 min, each a fifth more or less.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  /** In each the keys in the order they came, and since when they wait. */
  readonly #waiting = { change: new Map(), repair: new Map(), resync: new Map() } as Record<
    Priority,
    Map<string, number>
  >;
  readonly #running = new Map<string, { sinceMs: number; dirty?: Priority }>();
  readonly #later = new Map<string, { atMs: number; cancel: () => void; priority: Priority }>();
  readonly #failures = new Map<string, number>();
  #signal: AbortSignal | undefined;
  #onIdle: (() => void)[] = [];

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Begins to work, until the signal: then nothing new is begun, and `idle` tells when the rest has ended. */
  start(signal: AbortSignal): void {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#close(), { once: true });
    this.#startNext();
  }

  add(key: string, priority: Priority): void {
    this.#forgetLater(key);
    const running = this.#running.get(key);
    if (running) {
      running.dirty = sooner(running.dirty, priority);
      return;
    }
    const before = this.#waitsAs(key);
    const sinceMs = this.#takeOut(key) ?? this.#options.clock.now();
    this.#waiting[sooner(before, priority)].set(key, sinceMs);
    if (!before) this.#options.onAdded?.(key);
    this.#startNext();
  }

  /** The sooner of two times counts; a key that waits for work or is worked on is not made later. */
  addAfter(key: string, ms: number, priority: Priority): void {
    if (this.#signal?.aborted === true || this.#waitsAs(key)) return;
    const atMs = this.#options.clock.now() + ms;
    const before = this.#later.get(key);
    if (before && before.atMs <= atMs) return;
    before?.cancel();
    const cancel = this.#options.clock.after(ms, () => {
      this.#later.delete(key);
      this.add(key, priority);
    });
    this.#later.set(key, { atMs, cancel, priority });
  }

  /** The object is gone: nothing of it is remembered. */
  forget(key: string): void {
    this.#forgetLater(key);
    this.#takeOut(key);
    this.#failures.delete(key);
  }

  get depth(): number {
    return priorities.reduce((sum, priority) => sum + this.#waiting[priority].size, 0);
  }

  /** For how long the oldest work has been going on. */
  get longestRunningMs(): number {
    const began = [...this.#running.values()].map(({ sinceMs }) => sinceMs);
    return began.length === 0 ? 0 : this.#options.clock.now() - Math.min(...began);
  }

  /** Resolves when nothing is worked on. */
  idle(): Promise<void> {
    if (this.#running.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onIdle.push(resolve));
  }

  #startNext(): void {
    const { workers } = this.#options;
    while (this.#signal && !this.#signal.aborted && this.#running.size < workers) {
      const next = this.#first();
      if (next === undefined) return;
      void this.#work(next, this.#signal);
    }
  }

  #first(): string | undefined {
    for (const priority of priorities) for (const key of this.#waiting[priority].keys()) return key;
    return undefined;
  }

  #waitsAs(key: string): Priority | undefined {
    return priorities.find((priority) => this.#waiting[priority].has(key));
  }

  /** Gives back since when it waited. */
  #takeOut(key: string): number | undefined {
    const waiting = this.#waiting[this.#waitsAs(key) ?? "resync"];
    const sinceMs = waiting.get(key);
    waiting.delete(key);
    return sinceMs;
  }

  async #work(key: string, signal: AbortSignal): Promise<void> {
    const { clock, work, onStarted } = this.#options;
    const waitedMs = clock.now() - (this.#takeOut(key) ?? clock.now());
    this.#running.set(key, { sinceMs: clock.now() });
    onStarted?.(key, waitedMs);
    try {
      const again = await work(key, signal);
      this.#failures.delete(key);
      if (again) this.addAfter(key, again.afterMs, again.priority);
    } catch (thrown) {
      if (!signal.aborted) this.#retry(key, thrown);
    } finally {
      const dirty = this.#running.get(key)?.dirty;
      this.#running.delete(key);
      if (dirty) this.add(key, dirty);
      if (this.#running.size === 0) for (const resolve of this.#onIdle.splice(0)) resolve();
      this.#startNext();
    }
  }

  #retry(key: string, thrown: unknown): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const retryMs = this.spread(backoffMs(failures, firstMs, mostMs));
    this.#options.onFailure?.(key, thrown, retryMs);
    this.addAfter(key, retryMs, "repair");
  }

  /** A fifth more or less, so that what failed together does not come back together. */
  spread(ms: number): number {
    const share = this.#options.random.bytes(4).readUInt32BE() / 2 ** 32;
    return ms * (1 - jitter + 2 * jitter * share);
  }

  #forgetLater(key: string): void {
    this.#later.get(key)?.cancel();
    this.#later.delete(key);
  }

  #close(): void {
    for (const key of this.#later.keys()) this.#forgetLater(key);
    for (const priority of priorities) this.#waiting[priority].clear();
  }
}

const sooner = (a: Priority | undefined, b: Priority): Priority =>
  a !== undefined && priorities.indexOf(a) <= priorities.indexOf(b) ? a : b;
