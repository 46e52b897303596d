/** A change over many clusters: rings, soak time, a stop at the first failure. */
export { reconcileRollout } from "./rollout.ts";
