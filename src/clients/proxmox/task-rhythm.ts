/** The end is looked for a little after it is likely: before it, the look would be in vain. */
const afterMs = 30;
const firstMs = 600;
const mostMs = 4_000;

/**
 * How long to wait before the next look at a task of this age. A few looks before its likely end notice what ends early,
 * further and further apart; then one comes at the likely end, and the next ones follow it closely.
 */
export function lookDelayMs(ageMs: number, likelyMs: number | undefined): number {
  if (likelyMs === undefined) return Math.min(1_500, Math.max(150, ageMs / 4));
  const leftMs = likelyMs + afterMs - ageMs;
  if (leftMs <= 0) return overdueDelayMs(ageMs, -leftMs);
  const stepMs = Math.min(mostMs, Math.max(firstMs, ageMs / 2));
  return leftMs <= 1.5 * stepMs ? leftMs : stepMs;
}

/** A small part of its age: what takes minutes need not be known to the second. */
const overdueDelayMs = (ageMs: number, overdueMs: number): number =>
  Math.min(1_500, Math.max(150, Math.min(ageMs / 12, overdueMs / 2)));

/** How long tasks take, by others like them. */
export class TaskDurations {
  private readonly shortestMs = new Map<string, number>();

  /** Ends are noticed late, never early: the shortest is the truest. */
  learn(like: string, tookMs: number): void {
    this.shortestMs.set(like, Math.min(tookMs, this.shortestMs.get(like) ?? Infinity));
  }

  /** What was seen comes before what is usual elsewhere. */
  likelyMs(like: string, usualMs: number | undefined): number | undefined {
    return this.shortestMs.get(like) ?? usualMs;
  }
}
