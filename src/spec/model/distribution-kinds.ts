import type { K3sDistribution } from "./k3s.ts";
import type { LinuxDistribution } from "./linux.ts";
import type { OtherDistribution } from "./other-distribution.ts";
import type { Cluster, TalosDistribution } from "./cluster.ts";

export type TalosCluster = Cluster & { distribution: TalosDistribution };
export type LinuxCluster = Cluster & { distribution: LinuxDistribution };
export type K3sCluster = Cluster & { distribution: K3sDistribution };
/** Its machines start from a cloud image, and SSH leads to them. */
export type GuestCluster = Cluster & {
  distribution: LinuxDistribution | K3sDistribution | OtherDistribution;
};

export const isTalos = (cluster: Cluster): cluster is TalosCluster => cluster.distribution.kind === "talos";
export const isLinux = (cluster: Cluster): cluster is LinuxCluster => cluster.distribution.kind === "linux";

export const isK3s = (cluster: Cluster): cluster is K3sCluster => cluster.distribution.kind === "k3s";
export const hasGuests = (cluster: Cluster): cluster is GuestCluster => "user" in cluster.distribution;

/** Its machines become nodes of Kubernetes. */
export const hasKubernetes = ({ kubernetes }: Pick<Cluster, "kubernetes">): boolean => kubernetes !== "";

/** What its distribution is called in the cluster file. */
export const distributionName = ({ distribution }: Pick<Cluster, "distribution">): string =>
  distribution.kind === "other" ? distribution.name : distribution.kind;

/** Where its machines are described, as the file is read; see `takeDistributions`. */
export const machinesKey = ({ distribution }: Cluster): string =>
  distribution.kind === "other" ? "linux" : distribution.kind;

/** For what only ever meets machines from cloud images. */
export function guestsOf(cluster: Cluster): GuestCluster {
  if (!hasGuests(cluster)) throw new Error(`the machines of ${cluster.name} start from no cloud image`);
  return cluster;
}

/** For what only ever meets clusters of Talos. */
export function talosOf({ name, distribution }: Pick<Cluster, "name" | "distribution">): TalosDistribution {
  if (distribution.kind !== "talos") throw new Error(`cluster ${name} does not run Talos`);
  return distribution;
}
