import { SlipwayError } from "../errors/index.ts";

export const clusterBusy = (cluster: string, pid: number, command: string, since: string) =>
  new SlipwayError({
    code: "RUN_CLUSTER_BUSY",
    what: `Cannot work on "${cluster}" now`,
    why: `"slipway ${command}" has been working on it since ${since} (process ${pid})`,
    next: 'Wait for it to end, or stop it with Ctrl-C, then run "slipway up" again',
  });

export const clusterHeld = (f: {
  cluster: string;
  by: string;
  command: string;
  since: string;
  host: string;
}) =>
  new SlipwayError({
    code: "RUN_CLUSTER_HELD",
    what: `Cannot work on "${f.cluster}" now`,
    why: `"slipway ${f.command}" of ${f.by} has been working on it since ${f.since}; so it stands on host "${f.host}"`,
    next: "Wait for it to end, then run the same command again; if it was killed, a minute is enough",
  });

export const clusterContested = (cluster: string, host: string) =>
  new SlipwayError({
    code: "RUN_CLUSTER_CONTESTED",
    what: `Cannot work on "${cluster}" now`,
    why: `others began at the same moment, and host "${host}" gave it to none of them in five attempts`,
    next: "Run the same command again",
  });
