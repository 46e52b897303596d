import { conditionOf } from "../../src/clients/kube/index.ts";
import type { SlipwayCluster } from "../../src/controller/index.ts";
import type { Fault } from "../../src/sim/index.ts";
import { isReady } from "../../test/support/controller/fleet-site.ts";
import { manyClusters, type FleetSize } from "../../test/support/controller/many-clusters.ts";

export interface FaultFigures {
  /** Clusters on hosts that nothing was wrong with, and how many of them were Ready in the end. */
  others: number;
  othersReady: number;
  /** Clusters whose hosts are away, and how many of them say so: Ready is Unknown, and the hosts are named. */
  cutOff: number;
  cutOffNamed: number;
  /** The most that any cluster was bootstrapped. */
  mostBootstraps: number;
}

/** Every twentieth question to the first group is never answered. */
const slowCalls: Fault[] = Array.from({ length: 40 }, (_, index) => ({
  call: "proxmox GET *",
  kind: "hang" as const,
  after: 20 * (index + 1),
}));

const awayMs = 30_000;

/**
 * S5: while all clusters are made, every twentieth question to the first group hangs and the management API is away for half a minute.
 * Then the last group loses all hosts but one.
 */
export async function faultsContained(size: FleetSize): Promise<FaultFigures> {
  const site = await manyClusters({ ...size, faults: slowCalls, runs: 10 }, { apply: "Auto" });
  try {
    const controller = await site.start("one");
    await site.time.clock.sleep(3_000);
    controller.cut();
    await site.time.clock.sleep(awayMs);
    // It has lost its Lease meanwhile; in a cluster the pod is started again.
    await site.time.during(controller.ended);
    await site.start("two");
    await site.untilAll(isReady);

    const last = size.groups - 1;
    for (let host = 2; host <= size.hosts; host += 1)
      await site.datacenters[last]?.proxmox.setNode(`host-${host}`, "off");
    await site.time.clock.sleep(15 * 60_000);

    const objects = await site.objects();
    const isAway = ({ spec }: SlipwayCluster): boolean => spec.hosts === `rack-${last}`;
    const others = objects.filter((object) => !isAway(object));
    const away = objects.filter(isAway);
    return {
      others: others.length,
      othersReady: others.filter(isReady).length,
      cutOff: away.length,
      cutOffNamed: away.filter((object) => says(object, "Unknown", /host-\d/)).length,
      mostBootstraps: Math.max(...site.datacenters.flatMap(({ talos }) => Object.values(talos.bootstraps()))),
    };
  } finally {
    await site.close();
  }
}

function says(object: SlipwayCluster, status: string, pattern: RegExp): boolean {
  const ready = conditionOf(object, "Ready");
  return ready?.status === status && pattern.test(ready.message ?? "");
}
