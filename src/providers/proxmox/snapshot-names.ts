/** Snapshots that Slipway takes carry its name; all others are somebody's own. */
export const isOurSnapshot = (name: string): boolean => name.startsWith("slipway");
