import { askApi } from "./ask-api.ts";
import { probeReach, type ReachReport } from "./reach-prober.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

export interface WatchedNode {
  name: string;
  host: string;
}

/** The cluster `lab` of a site: who is watched. */
export interface Watched {
  vip: string;
  controlPlanes: WatchedNode[];
  workers: WatchedNode[];
  /** How often the API is asked through the cluster's address; every 200 ms when left out. */
  vipEveryMs?: number;
}

const never = new AbortController().signal;

/** Asks the API through the cluster's address and on every node, by new connections each time, and knocks at the nodes. */
export async function watchCluster(
  site: RehearsalSite,
  { vip, controlPlanes, workers, vipEveryMs = 200 }: Watched,
): Promise<ReachReport> {
  const { clock } = site.rehearsal.time;
  const dial = site.rehearsal.world(never, () => {}).dialFor("lab");
  const api = await askApi(site, "lab");
  return probeReach(
    [
      { name: "VIP", everyMs: vipEveryMs, ask: api(vip) },
      ...controlPlanes.map(({ name, host }) => ({ name: `API on ${name}`, everyMs: 2_000, ask: api(host) })),
      ...[...controlPlanes, ...workers].map(({ name, host }) => ({
        name,
        everyMs: 2_000,
        ask: async (signal: AbortSignal) => (await dial({ host, port: 50_000 }, signal)).destroy(),
      })),
    ],
    clock,
  );
}
