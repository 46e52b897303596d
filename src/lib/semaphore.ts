import { onAbort } from "./time/on-abort.ts";

/** At most so many at a time; those that wait get in first come, first served. */
export class Semaphore {
  private free: number;
  private readonly queue: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  get isFull(): boolean {
    return this.free === 0;
  }

  /** Runs `work` when it is its turn, and lets in the next in line when it has ended. */
  async use<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    if (this.free === 0) await this.turn(signal);
    else this.free -= 1;
    try {
      return await work();
    } finally {
      const next = this.queue.shift();
      if (next) next();
      else this.free += 1;
    }
  }

  private turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const wake = () => {
        stay?.();
        resolve();
      };
      const stay =
        signal &&
        onAbort(signal, () => {
          this.queue.splice(this.queue.indexOf(wake), 1);
          reject(signal.reason as Error);
        });
      this.queue.push(wake);
    });
  }
}
