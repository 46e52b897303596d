/** Sweeps take every case with SLIPWAY_FULL=1, as CI does; called by file, a part of them that touches every kind. */
export const isFull = process.env["SLIPWAY_FULL"] !== undefined;

/** Stands behind the title of every sweep, and of what runs with SLIPWAY_FULL=1 only: `npm test` leaves them out. */
export const whole = { tags: ["whole"] };

/** Every n-th case from `first` on, or all of them in a full run. */
export const sampled = <T>(cases: readonly T[], every: number, first = 0): T[] =>
  cases.filter((_case, index) => isFull || index % every === first % every);

/** SLIPWAY_SWEEP=talos leaves only the calls whose name begins so. */
export const isSwept = (call: string): boolean => call.startsWith(process.env["SLIPWAY_SWEEP"] ?? "");
