import { Semaphore } from "../lib/index.ts";
import type { StepId } from "../plan/index.ts";

interface Lock {
  places: Semaphore;
  holders: Set<StepId>;
}

/** The hypervisors' own locks, mirrored: who holds a place, and who waits behind whom. */
export class LockTable {
  private readonly locks = new Map<string, Lock>();

  /** Runs `work` holding one of the lock's `places`; the first to name a lock says how many there are. */
  async holding<T>(
    name: string,
    places: number,
    step: StepId,
    signal: AbortSignal,
    onQueued: (behind: StepId) => void,
    work: (hasQueued: boolean) => Promise<T>,
  ): Promise<T> {
    const lock = this.locks.get(name) ?? { places: new Semaphore(places), holders: new Set() };
    this.locks.set(name, lock);
    const hasQueued = lock.places.isFull;
    if (hasQueued) onQueued([...lock.holders][0] ?? step);
    return lock.places.use(async () => {
      lock.holders.add(step);
      try {
        return await work(hasQueued);
      } finally {
        lock.holders.delete(step);
      }
    }, signal);
  }
}
