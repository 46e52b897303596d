import { isReady, type StartedController } from "../../test/support/controller/fleet-site.ts";
import { manyClusters, type FleetSize, type ManySite } from "../../test/support/controller/many-clusters.ts";
import { realisticLatencies } from "../../src/sim/index.ts";

export interface LeaderFigures {
  /** How many leaders were cut off while clusters were made. */
  killed: number;
  /** Until another one led, in simulated seconds, at most. */
  longestTakeoverSeconds: number;
  /** Machines that were made, and tasks that have made them. */
  machines: number;
  creations: number;
  /** The most that any cluster was bootstrapped. */
  mostBootstraps: number;
}

const everyMs = 2 * 60_000;

/** S6: two replicas, and every two minutes the one that leads is cut off from the management API, until all clusters are made. */
export async function leadersKilled(size: FleetSize): Promise<LeaderFigures> {
  const site = await manyClusters({ ...size, runs: 1, latencies: realisticLatencies }, { apply: "Auto" });
  try {
    const replicas = [await site.start("leader-1"), await site.start("leader-2")];
    const takeovers: number[] = [];
    await site.time.until(() => replicas.some((each) => each.isLeading()));
    while (!(await madeWithin(site, everyMs))) {
      const leader = leaderOf(replicas);
      leader.cut();
      const cutAt = site.time.clock.now();
      replicas.splice(replicas.indexOf(leader), 1);
      await site.time.until(() => replicas.some((each) => each.isLeading()));
      takeovers.push((site.time.clock.now() - cutAt) / 1000);
      replicas.push(await site.start(`leader-${takeovers.length + 2}`));
    }
    const states = site.datacenters.map(({ proxmox }) => proxmox.state());
    // The locks of runs are machines for a moment, too.
    const tasks = states.flatMap(({ tasks: all, vms }) =>
      all.filter(({ type, id }) => type === "qmcreate" && id in vms),
    );
    return {
      killed: takeovers.length,
      longestTakeoverSeconds: Math.max(0, ...takeovers),
      machines: states.reduce((sum, { vms }) => sum + Object.keys(vms).length, 0),
      creations: tasks.length,
      mostBootstraps: Math.max(...site.datacenters.flatMap(({ talos }) => Object.values(talos.bootstraps()))),
    };
  } finally {
    await site.close();
  }
}

function leaderOf(replicas: StartedController[]): StartedController {
  const found = replicas.find((each) => each.isLeading());
  if (!found) throw new Error("nobody leads");
  return found;
}

/** Lets so much time pass, unless all clusters are Ready before. */
async function madeWithin(site: ManySite, ms: number): Promise<boolean> {
  const untilMs = site.time.clock.now() + ms;
  while (site.time.clock.now() < untilMs) {
    await site.time.clock.sleep(5_000);
    if ((await site.objects()).every(isReady)) return true;
  }
  return false;
}
