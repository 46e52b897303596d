/** Sweeps take every case with SLIPWAY_FULL=1, as CI does; called by file, a part of them that touches every kind. */
export const isFull = process.env["SLIPWAY_FULL"] !== undefined;

/** Sweeps that would take CI an hour take a part of their cases there as well; all of them with SLIPWAY_EVERY=1. */
export const takesEvery = process.env["SLIPWAY_EVERY"] !== undefined;

/** `most` cases, spread over all of them from the first on, or every one. */
export const spread = <T>(cases: readonly T[], most: number): T[] => {
  const every = takesEvery ? 1 : Math.ceil(cases.length / most);
  return cases.filter((_case, index) => index % every === 0);
};

/** Stands behind the title of every sweep, and of what runs with SLIPWAY_FULL=1 only: `npm test` leaves them out. */
export const whole = { tags: ["whole"] };

/** Every n-th case from `first` on, or all of them in a full run. */
export const sampled = <T>(cases: readonly T[], every: number, first = 0): T[] =>
  cases.filter((_case, index) => isFull || index % every === first % every);

/** SLIPWAY_SWEEP=talos leaves only the calls whose name begins so. */
export const isSwept = (call: string): boolean => call.startsWith(process.env["SLIPWAY_SWEEP"] ?? "");
