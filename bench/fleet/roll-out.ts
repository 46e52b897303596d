import { apiVersion, type SlipwayRollout } from "../../src/controller/index.ts";
import type { ClusterView, Datacenter } from "../../src/sim/index.ts";
import { hasCondition } from "../../src/sim/kube/index.ts";
import { isReady, namespace } from "../../test/support/controller/fleet-site.ts";
import { manyClusters, type FleetSize } from "../../test/support/controller/many-clusters.ts";
import { lookWhile } from "./look-while.ts";

export interface RollOutFigures {
  reboots: number;
  /** Control planes of one cluster that were away at the same time, at most. */
  mostVotersAway: number;
  /** Nodes of one group of hosts that were not Ready at the same time, at most. */
  mostNodesAway: number;
  /** How many clusters each ring had. */
  rings: number[];
  tookSeconds: number;
}

const [from, to] = ["1.12.11", "1.13.9"];
/** How many clusters of a group are changed at the same time. */
const runs = 4;

/** S4: another minor version of Talos for all clusters, ring by ring. */
export async function rollOut(size: FleetSize): Promise<RollOutFigures> {
  const cluster = { talos: { version: from }, kubernetes: "1.35.4" };
  const latencies = { rebootMs: 20_000, leaveMs: 2_000, readyMs: 3_000 };
  const site = await manyClusters({ ...size, runs, cluster, latencies }, { apply: "Auto" });
  try {
    await site.start("one");
    await site.untilAll(isReady);
    const beganAt = site.time.clock.now();
    await site.kube.apply(rollout);
    const find = () =>
      site.kube.get<SlipwayRollout>({ apiVersion, kind: "SlipwayRollout", name: "minor", namespace });
    const isOver = async (): Promise<boolean> =>
      ["Done", "Stopped"].includes((await find())?.status?.phase ?? "");
    const seen = await lookWhile(site, isOver, () => site.datacenters.map(awayIn));
    const { phase, rings = [] } = (await find())?.status ?? {};
    if (phase !== "Done") throw new Error(`the roll-out ended as ${phase ?? "nothing"}`);
    return {
      reboots: site.datacenters.reduce((sum, { faults }) => sum + firstBoots(faults.seen), 0),
      mostVotersAway: Math.max(...seen.flat().map(({ voters }) => voters)),
      mostNodesAway: Math.max(...seen.flat().map(({ nodes }) => nodes)),
      rings: rings.map(({ clusters }) => clusters),
      tookSeconds: (site.time.clock.now() - beganAt) / 1000,
    };
  } finally {
    await site.close();
  }
}

const rollout = {
  apiVersion,
  kind: "SlipwayRollout",
  metadata: { name: "minor", namespace },
  spec: {
    selector: { matchLabels: { tier: "fleet" } },
    change: { versions: { talos: to } },
    rings: [
      { name: "canary", clusters: 1 },
      { name: "some", clusters: "10%" },
      { name: "all", clusters: "100%" },
    ],
    soak: "2m",
  },
};

const firstBoots = (calls: readonly string[]): number =>
  calls.filter((call) => call.startsWith("talos boot")).length;

function awayIn(datacenter: Datacenter): { voters: number; nodes: number } {
  const clusters = datacenter.clusters();
  return {
    voters: Math.max(0, ...clusters.map(({ voters }) => voters.filter(({ isServing }) => !isServing).length)),
    nodes: clusters.reduce((sum, cluster) => sum + notReady(cluster), 0),
  };
}

const notReady = (cluster: ClusterView): number =>
  cluster.objects("v1", "Node").filter((node) => !hasCondition(node, "Ready")).length;
