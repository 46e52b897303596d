import type { Distribution } from "../plan/index.ts";
import type { Cluster } from "../spec/index.ts";

type Kind = Cluster["distribution"]["kind"];

/** One distribution for a fleet whose clusters run several: each goes to the one it runs. */
export function fleetDistribution(families: Record<Kind, Distribution>): Distribution {
  const of = (cluster: Cluster): Distribution => families[cluster.distribution.kind];
  return {
    resources: Object.values(families).flatMap((family) => family.resources),
    describe: (cluster, machines) => of(cluster).describe(cluster, machines),
    apiStep: (cluster) => of(cluster).apiStep(cluster),
    kubeconfig: (cluster) => of(cluster).kubeconfig(cluster),
    installedStep: (cluster, node) => of(cluster).installedStep(cluster, node),
    seedStep: (cluster) => of(cluster).seedStep(cluster),
    describeLeavers: (cluster, nodes, machineStep) =>
      of(cluster).describeLeavers(cluster, nodes, machineStep),
    preflight: (cluster, existing) => of(cluster).preflight(cluster, existing),
    health: (cluster) => of(cluster).health(cluster),
    healthyNodes: (cluster) => of(cluster).healthyNodes(cluster),
    look: (cluster, signal) => of(cluster).look(cluster, signal),
    remember: (cluster, signal) => of(cluster).remember(cluster, signal),
    examine: (cluster, signal) => of(cluster).examine(cluster, signal),
    outputs: (cluster) => of(cluster).outputs(cluster),
  };
}
