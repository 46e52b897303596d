/** How a change that takes nodes away goes through a cluster. Control planes go one at a time, and before all workers. */
export interface Rollout {
  /** How many workers may be away at once. */
  workers: number;
  drain: { timeoutMs: number };
  /** Nodes go although their storage says that data is not whole. Absent: they wait for it. */
  storage?: "ignore";
  /** What has to hold before a node goes and after it is back; absent: nothing of the user's own. */
  gates?: RolloutGate[];
}

/** An object of the cluster, and the condition in its status that has to be `True`. */
export interface RolloutGate {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  condition: string;
}

const careful: Rollout = { workers: 1, drain: { timeoutMs: 10 * 60_000 } };

export const rolloutOf = ({ rollout }: { rollout?: Rollout }): Rollout => rollout ?? careful;
