import type { ControllerObject } from "./common.ts";

/** A run that changed a cluster. The last 20 of a cluster are kept; they go with it. */
export interface SlipwayRunSpec {
  cluster: string;
  /** As typed: `up`, `down`. */
  command: string;
  /** The digest of the plan it carried out. */
  plan?: string;
  /** `Auto`, or `OnApproval` when somebody approved it. */
  policy: string;
}

export interface SlipwayRunStatus {
  startedAt: string;
  finishedAt?: string;
  /** `running`, then as a run ends: `done`, `failed`, `refused`, `waiting`, `stopped`, `unchanged`. */
  outcome: string;
  steps: { finished: number; failed: number; skipped: number };
  /** The first of those that failed. */
  failures?: { step: string; code: string; message: string }[];
  error?: { code: string; message: string };
  /** Which controller carried it out. */
  holder: string;
}

export type SlipwayRun = ControllerObject<SlipwayRunSpec, SlipwayRunStatus> & { kind: "SlipwayRun" };

/** How many are kept of each cluster. */
export const keptRuns = 20;
