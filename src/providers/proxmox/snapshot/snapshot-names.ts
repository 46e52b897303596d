/** Snapshots that Slipway takes carry its name; all others were taken by hand. */
export const isOurSnapshot = (name: string): boolean => name.startsWith("slipway");
