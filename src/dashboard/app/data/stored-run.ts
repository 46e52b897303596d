import type { ExportedRun } from "../../protocol.ts";

/** A run that was written into the page itself, to be sent to somebody: nothing is asked for then. */
export function readStoredRun(): ExportedRun | undefined {
  const text = document.querySelector("script#slipway-run[type='application/json']")?.textContent;
  return text ? (JSON.parse(text) as ExportedRun) : undefined;
}
