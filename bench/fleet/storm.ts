import { apiVersion } from "../../src/controller/index.ts";
import { isReady, namespace, type StartedController } from "../../test/support/controller/fleet-site.ts";
import { manyClusters, type FleetSize, type ManySite } from "../../test/support/controller/many-clusters.ts";

export interface StormFigures {
  /** Until the last of them was planned as it is asked for now, in simulated seconds. */
  convergedSeconds: number;
  /** Calls to one Proxmox cluster at the same time, at most. */
  mostAtOnce: number;
  /** Answers that say no: too many requests, no connection between hosts. */
  refusals: number;
}

/** S3: everything was changed while no controller ran. */
export async function stormOfChanges(size: FleetSize): Promise<StormFigures> {
  const site = await manyClusters({ ...size, latencies: { apiCallMs: 15 } }, { apply: "Never" });
  try {
    await restart(site, await site.start("one"));
    for (const { metadata } of await site.objects())
      await site.kube.patch(
        { apiVersion, kind: "SlipwayCluster", name: metadata.name, namespace },
        { spec: { acceptDataLoss: ["worker-1"] } },
      );
    const controller = await site.start("two");
    const load = watchLoad(controller);
    const beganAt = site.time.clock.now();
    await site.untilAll(
      ({ status, metadata }) =>
        status?.plan !== undefined && status.observedGeneration === metadata.generation,
    );
    return { convergedSeconds: (site.time.clock.now() - beganAt) / 1000, ...load() };
  } finally {
    await site.close();
  }
}

async function restart(site: ManySite, first: StartedController): Promise<void> {
  await site.untilAll(({ status }) => status?.plan !== undefined);
  first.halt.abort();
  await site.time.during(first.ended);
}

function watchLoad({ trace }: StartedController): () => Pick<StormFigures, "mostAtOnce" | "refusals"> {
  let [mostAtOnce, refusals] = [0, 0];
  trace.listen(({ outcome }) => {
    const byHost = new Map<string, number>();
    for (const { protocol, to } of trace.underWay())
      if (protocol === "proxmox") byHost.set(to, (byHost.get(to) ?? 0) + 1);
    mostAtOnce = Math.max(mostAtOnce, ...byHost.values());
    if (/429|595|596/.test(outcome)) refusals += 1;
  });
  return () => ({ mostAtOnce, refusals });
}

export interface SpreadFigures {
  /** Of all clusters, how many were looked at in the busiest minute after a start. */
  busiestMinuteShare: number;
  /** When the last of them was looked at, in simulated seconds. */
  lastSeconds: number;
}

/** S3: a restart is no reason to look at everything at once, where all is well. */
export async function startAmongWell(size: FleetSize): Promise<SpreadFigures> {
  const site = await manyClusters({ ...size, runs: 10 }, { apply: "Auto" });
  try {
    const first = await site.start("one");
    await site.untilAll(isReady);
    // Hosts tell of new machines a little later.
    await site.time.clock.sleep(2 * 60_000);
    first.halt.abort();
    await site.time.during(first.ended);
    const controller = await site.start("two");
    const beganAt = site.time.clock.now();
    const seen = new Map<string, number>();
    // The first thing that is done about a cluster is to read its Secret.
    await site.time.until(() => {
      for (const call of controller.calls.splice(0)) {
        const name = /secrets\/(\w+)-secrets$/.exec(call)?.[1];
        if (name !== undefined && !seen.has(name)) seen.set(name, site.time.clock.now() - beganAt);
      }
      return seen.size === size.clusters;
    });
    const minutes = new Map<number, number>();
    for (const ms of seen.values()) {
      const minute = Math.floor(ms / 60_000);
      minutes.set(minute, (minutes.get(minute) ?? 0) + 1);
    }
    return {
      busiestMinuteShare: Math.max(...minutes.values()) / size.clusters,
      lastSeconds: Math.max(...seen.values()) / 1000,
    };
  } finally {
    await site.close();
  }
}
