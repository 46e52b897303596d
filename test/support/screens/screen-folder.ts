import { mkdtempSync } from "node:fs";

/**
 * A folder whose path a screen shows. Lines wrap by its length, so it stands in the same place whatever the temporary folder
 * of this run is called. The caller removes it.
 */
export const screenFolder = (name: string): string => mkdtempSync(`/tmp/slipway-${name}-`);
