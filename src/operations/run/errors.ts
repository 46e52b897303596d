import { defineError } from "../../errors/index.ts";

export const clusterBusy = defineError(
  "RUN_CLUSTER_BUSY",
  (cluster: string, pid: number, command: string, since: string) => ({
    what: `Cannot work on "${cluster}" now`,
    why: `"slipway ${command}" has been working on it since ${since} (process ${pid})`,
    next: 'Wait for it to end, or stop it with Ctrl-C, then run "slipway up" again',
  }),
);

export const clusterHeld = defineError(
  "RUN_CLUSTER_HELD",
  (f: { cluster: string; by: string; command: string; since: string; host: string }) => ({
    what: `Cannot work on "${f.cluster}" now`,
    why: `"slipway ${f.command}" of ${f.by} has been working on it since ${f.since}; the lock is on host "${f.host}"`,
    next: "Wait for it to end, then run the same command again; if it was killed, a minute is enough",
  }),
);

export const clusterContested = defineError("RUN_CLUSTER_CONTESTED", (cluster: string, host: string) => ({
  what: `Cannot work on "${cluster}" now`,
  why: `other runs started at the same moment, and none of them got the lock on host "${host}" in five attempts`,
  next: "Run the same command again",
}));

export const gateNotRun = defineError(
  "RUN_GATE_NOT_RUN",
  (f: { cluster: string; command: string; why: string; cause: unknown }) => ({
    what: `Cannot run the gate "${f.command}" of "${f.cluster}"`,
    why: `${f.why}; no node was touched for want of its answer`,
    next: `Mend rollout.gates, paths count from the folder of the cluster file, then run "slipway up ${f.cluster}"`,
    cause: f.cause,
  }),
);
