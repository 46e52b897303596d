/** How a change that takes nodes away goes through a cluster. Control planes go one at a time, and before all workers. */
export interface Rollout {
  /** How many workers may be away at once. */
  workers: number;
  drain: { timeoutMs: number };
}

const careful: Rollout = { workers: 1, drain: { timeoutMs: 10 * 60_000 } };

export const rolloutOf = ({ rollout }: { rollout?: Rollout }): Rollout => rollout ?? careful;
