/** A limited number of places, given away first come first served. */
export class Places {
  private free: number;
  private readonly queue: (() => void)[] = [];

  constructor(count: number) {
    this.free = count;
  }

  get isFull(): boolean {
    return this.free === 0;
  }

  /** Runs `work` in a place of its own; a place that is given up goes straight to the next in line. */
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
      const wake = () => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = () => {
        this.queue.splice(this.queue.indexOf(wake), 1);
        reject(signal?.reason as Error);
      };
      signal?.throwIfAborted();
      this.queue.push(wake);
      signal?.addEventListener("abort", leave, { once: true });
    });
  }
}
