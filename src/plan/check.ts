import { errorData, type ErrorData, type SlipwayError } from "../errors/index.ts";
import type { CheckStatus } from "./events.ts";
import type { ReadContext } from "./resource.ts";

/** What a check found. A failing one carries its error, with `why` and `next`. */
export interface Finding {
  status: CheckStatus;
  needed?: string;
  found?: string;
  error?: ErrorData;
  because?: string;
  /** The nodes to blame where it is not ok, each with what is wrong; `found` then only counts. */
  nodes?: Record<string, string>;
}

export const failed = (error: SlipwayError, facts: Pick<Finding, "needed" | "found"> = {}): Finding => ({
  status: "failed",
  error: errorData(error),
  ...facts,
});

/** One named question about the world. It only reads. */
export interface Check {
  /** Permanent, e.g. `proxmox-storage`. */
  id: string;
  /** A statement that is true when it passes: `Storage holds images`. */
  title: string;
  host?: string;
  node?: string;
  /** Ids of checks it builds on, in a checklist: it begins when they have ended, and is skipped where one failed as a whole. */
  needs?: string[];
  run(ctx: ReadContext): Promise<Finding>;
}
