/** How long to wait before attempt `attempt` (1 = the first repeat): doubling from `firstMs`, at most `mostMs`. */
export const backoffMs = (attempt: number, firstMs = 250, mostMs = 10_000): number =>
  Math.min(mostMs, firstMs * 2 ** (attempt - 1));
