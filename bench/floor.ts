import type { Latencies } from "../src/sim/index.ts";

/**
 * The longest chain of steps nobody can leave out, from nothing to the last node Ready: one control plane's own path.
 * Everything else (other nodes, other hosts, secrets) fits beside it.
 */
export const criticalChain = [
  "apiCallMs", // ask for the download
  "downloadMs",
  "apiCallMs", // ask for the machine
  "allocateMs", // its seed
  "allocateMs", // its disk
  "importMs",
  "apiCallMs", // ask for the larger disk
  "resizeMs",
  "apiCallMs", // ask for power
  "startMs",
  "bootMs",
  "configureMs",
  "etcdMs",
  "apiServerMs",
  "registerMs",
  "readyMs",
] as const satisfies (keyof Latencies)[];

/** What a deployment takes when whoever runs it adds nothing. */
export const floorMs = (latencies: Latencies): number =>
  criticalChain.reduce((sum, name) => sum + latencies[name], 0);
