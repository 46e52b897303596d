/** How a change that takes nodes away goes through a cluster. Control planes go one at a time, and before all workers. */
export interface Rollout {
  /** How many workers may be away at once. */
  workers: number;
  drain: { timeoutMs: number };
  /** Nodes go although their storage says that data is not whole. Absent: they wait for it. */
  storage?: "ignore";
  /** What has to hold before a node goes and after it is back; absent: nothing of the user's own. */
  gates?: RolloutGate[];
  /** When nodes may go; absent: at any time. */
  window?: RolloutWindow;
}

/** A part of the day, on some days of the week. */
export interface RolloutWindow {
  /** On which it begins; absent: every day. */
  days?: Weekday[];
  /** `02:00`. It ends on the next day where `to` is not later. */
  from: string;
  to: string;
  timeZone: string;
}

export const weekdays = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"] as const;

export type Weekday = (typeof weekdays)[number];

export type RolloutGate = ObjectGate | CommandGate;

/** A program of this computer that has to end with 0. */
export interface CommandGate {
  command: [program: string, ...args: string[]];
  timeoutMs: number;
}

/** An object of the cluster, and the condition in its status that has to be `True`. */
export interface ObjectGate {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  condition: string;
}

const careful: Rollout = { workers: 1, drain: { timeoutMs: 10 * 60_000 } };

export const rolloutOf = ({ rollout }: { rollout?: Rollout }): Rollout => rollout ?? careful;
