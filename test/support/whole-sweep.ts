/** Sweeps take every case with SLIPWAY_FULL=1, as CI does; otherwise a part of them that touches every kind. */
export const isFull = process.env["SLIPWAY_FULL"] !== undefined;

/** Every n-th case from `first` on, or all of them in a full run. */
export const sampled = <T>(cases: readonly T[], every: number, first = 0): T[] =>
  cases.filter((_case, index) => isFull || index % every === first % every);

/** SLIPWAY_SWEEP=talos leaves only the calls whose name begins so. */
export const isSwept = (call: string): boolean => call.startsWith(process.env["SLIPWAY_SWEEP"] ?? "");
