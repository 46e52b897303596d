import type { ControllerCondition, ControllerObject } from "./common.ts";

/** A change that goes over many clusters, ring by ring. */
export interface SlipwayRolloutSpec {
  /** Which clusters: SlipwayClusters with these labels. */
  selector: { matchLabels: Record<string, string> };
  change: RolloutChange;
  /** The clusters of each ring, after those of the rings before: a count, or a share of all. */
  rings: RolloutRing[];
  /** How long a ring has to stay healthy before the next begins, `30m`. */
  soak?: string;
  /** Clusters of a ring that are changed at the same time; all of it if not given. */
  maxInProgress?: number;
  paused?: boolean;
}

/** What is written into `spec.cluster` of every cluster: versions, and nothing else. */
export interface RolloutChange {
  /** By what they are of, as `slipway upgrade` names them: `{ kubernetes: 1.36.3 }`. A cluster takes those it has. */
  versions?: Record<string, string>;
  /** Follows the newest patch release that this Slipway knows of the minor version each cluster has. */
  patches?: boolean;
}

export interface RolloutRing {
  name: string;
  /** `1`, `"10%"`; the last ring takes all that are left. */
  clusters: number | string;
}

export interface SlipwayRolloutStatus {
  observedGeneration: number;
  phase: RolloutPhase;
  conditions: ControllerCondition[];
  /** The ring that is worked on. */
  ring?: string;
  /** When the ring was healthy as a whole: the soak time begins. */
  soakingSince?: string;
  rings: RingState[];
}

export const rolloutPhases = ["Pending", "RollingOut", "Soaking", "Stopped", "Paused", "Done"] as const;
export type RolloutPhase = (typeof rolloutPhases)[number];

export interface RingState {
  name: string;
  clusters: number;
  updated: number;
  /** Names of those that failed; one is enough to stop. */
  failed: string[];
}

export type SlipwayRollout = ControllerObject<SlipwayRolloutSpec, SlipwayRolloutStatus> & {
  kind: "SlipwayRollout";
};
