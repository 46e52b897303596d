import { errorData, type ErrorData, type SlipwayError } from "../errors/index.ts";
import type { CheckStatus } from "./events.ts";
import type { ReadContext } from "./resource.ts";

/** What a check found. A failing one carries its error, with `why` and `next`. */
export interface Finding {
  status: CheckStatus;
  needed?: string;
  found?: string;
  error?: ErrorData | undefined;
  because?: string | undefined;
  /** The nodes to blame where it is not ok, each with what is wrong; `found` then only counts. */
  nodes?: Record<string, string>;
}

export const failed = (error: SlipwayError, facts: Pick<Finding, "needed" | "found"> = {}): Finding => ({
  status: "failed",
  error: errorData(error),
  ...facts,
});

/** What a check is called when it passes, and when it does not. */
export type CheckTitles = readonly [title: string, failing: string];

/** One named question about the world. It only reads. */
export interface Check {
  /** Permanent, e.g. `network-addresses`. */
  id: string;
  /** A statement that is true when it passes: `Storage holds images`. */
  title: string;
  /** What is true when it fails or warns: `Storage holds no images`. Left out: screens say `failed: …` and the title. */
  failing?: string;
  host?: string;
  node?: string;
  /** Ids of checks it builds on, in a checklist: it begins when they have ended, and is skipped where one failed as a whole. */
  needs?: string[];
  run(ctx: ReadContext): Promise<Finding>;
}
