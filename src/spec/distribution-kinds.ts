import type { K3sDistribution } from "./k3s-model.ts";
import type { LinuxDistribution } from "./linux-model.ts";
import type { Cluster, TalosDistribution } from "./model.ts";

export type TalosCluster = Cluster & { distribution: TalosDistribution };
export type LinuxCluster = Cluster & { distribution: LinuxDistribution };
export type K3sCluster = Cluster & { distribution: K3sDistribution };
/** Its machines start from a cloud image, and SSH leads to them. */
export type GuestCluster = LinuxCluster | K3sCluster;

export const isTalos = (cluster: Cluster): cluster is TalosCluster => cluster.distribution.kind === "talos";
export const isLinux = (cluster: Cluster): cluster is LinuxCluster => cluster.distribution.kind === "linux";

export const isK3s = (cluster: Cluster): cluster is K3sCluster => cluster.distribution.kind === "k3s";
export const hasGuests = (cluster: Cluster): cluster is GuestCluster => isLinux(cluster) || isK3s(cluster);

/** For what only ever meets clusters of Talos. */
export function talosOf({ name, distribution }: Pick<Cluster, "name" | "distribution">): TalosDistribution {
  if (distribution.kind !== "talos") throw new Error(`cluster ${name} does not run Talos`);
  return distribution;
}
