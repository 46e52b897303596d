import { askApi } from "./ask-api.ts";
import { probeReach } from "./reach-prober.ts";
import type { RehearsalSite } from "./rehearsal-site.ts";

/** What was seen of a cluster, asked at every simulated second. */
export interface QuorumSeen {
  /** How many seconds etcd could decide nothing. */
  withoutQuorum: number;
  /** Names that two running machines had at once. */
  twins: string[];
  /** How long the API was away at its shared address, at a stretch. */
  apiAwayMs: number;
}

/** Watches a cluster of a rehearsal for as long as `work` takes. */
export async function watchQuorum(
  site: RehearsalSite,
  { cluster, vip }: { cluster: string; vip: string },
  work: () => Promise<void>,
): Promise<QuorumSeen> {
  const { clock } = site.rehearsal.time;
  const { proxmox, talos } = site.rehearsal.datacenter;
  const twins = new Set<string>();
  let withoutQuorum = 0;
  const look = (): void => {
    if (talos.quorums()[cluster] === false) withoutQuorum += 1;
    const running = Object.values(proxmox.state().vms).filter((vm) => vm.running);
    const names = running.map((vm) => String(vm.config["name"]));
    for (const name of names.filter((each, index) => names.indexOf(each) !== index)) twins.add(name);
  };
  const ask = (await askApi(site, cluster))(vip);
  const reach = probeReach([{ name: "API", everyMs: 500, ask }], clock);
  const stop = new AbortController();
  const looking = (async () => {
    while (!stop.signal.aborted) {
      look();
      await clock.sleep(1_000, stop.signal).catch(() => undefined);
    }
  })();
  try {
    await work();
  } finally {
    stop.abort(new Error("seen enough"));
    await Promise.all([looking, reach.stop()]);
  }
  return { withoutQuorum, twins: [...twins], apiAwayMs: reach.longestAwayMs("API") };
}
