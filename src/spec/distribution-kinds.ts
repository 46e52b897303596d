import type { LinuxDistribution } from "./linux-model.ts";
import type { Cluster, TalosDistribution } from "./model.ts";

export type TalosCluster = Cluster & { distribution: TalosDistribution };
export type LinuxCluster = Cluster & { distribution: LinuxDistribution };

export const isTalos = (cluster: Cluster): cluster is TalosCluster => cluster.distribution.kind === "talos";
export const isLinux = (cluster: Cluster): cluster is LinuxCluster => cluster.distribution.kind === "linux";

/** For what only ever meets clusters of Talos. */
export function talosOf({ name, distribution }: Pick<Cluster, "name" | "distribution">): TalosDistribution {
  if (distribution.kind !== "talos") throw new Error(`cluster ${name} does not run Talos`);
  return distribution;
}
