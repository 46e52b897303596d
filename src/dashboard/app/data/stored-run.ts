import type { RunEvent } from "../../../plan/index.ts";
import type { Session } from "../../protocol.ts";

/** A run that was written into the page itself, to be sent to somebody: nothing is asked for then. */
export interface StoredRun {
  session: Session;
  events: RunEvent[];
}

export function readStoredRun(): StoredRun | undefined {
  const text = document.querySelector("script#slipway-run[type='application/json']")?.textContent;
  return text ? (JSON.parse(text) as StoredRun) : undefined;
}
