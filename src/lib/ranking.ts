/**
 * Things of which the best is always known: a heap. Only the best may change, and only for the worse; then one way down
 * the heap finds the next, however many there are. What is equal keeps the order it was given in.
 */
export class Ranking<T> {
  private readonly heap: Ranked<T>[];
  private readonly compare: (a: Ranked<T>, b: Ranked<T>) => number;

  /** `compare` is less than zero when `a` is better. */
  constructor(things: readonly T[], compare: (a: T, b: T) => number) {
    this.compare = (a, b) => compare(a.thing, b.thing) || a.position - b.position;
    this.heap = things.map((thing, position) => ({ thing, position })).toSorted(this.compare);
  }

  get best(): T | undefined {
    return this.heap[0]?.thing;
  }

  /** To be called after the best has become worse. */
  bestFellBehind(): void {
    const { heap } = this;
    for (let at = 0; ;) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const better = this.isBefore(right, left) ? right : left;
      const [here, there] = [heap[at], heap[better]];
      if (!here || !there || !this.isBefore(better, at)) return;
      heap[at] = there;
      heap[better] = here;
      at = better;
    }
  }

  private isBefore(a: number, b: number): boolean {
    const [first, second] = [this.heap[a], this.heap[b]];
    return first !== undefined && second !== undefined && this.compare(first, second) < 0;
  }
}

interface Ranked<T> {
  thing: T;
  position: number;
}
