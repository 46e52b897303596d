/** Adds up how long a piece of work spent waiting for other machines; overlapping calls count once. */
export class RemoteTimer {
  private inside = 0;
  private since = 0;
  private sumMs = 0;

  private readonly now: () => number;

  constructor(now: () => number) {
    this.now = now;
  }

  enter(): void {
    if (this.inside === 0) this.since = this.now();
    this.inside += 1;
  }

  leave(): void {
    this.inside -= 1;
    if (this.inside === 0) this.sumMs += this.now() - this.since;
  }

  get totalMs(): number {
    return this.inside === 0 ? this.sumMs : this.sumMs + this.now() - this.since;
  }
}
