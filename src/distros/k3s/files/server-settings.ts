import { addonWith, type K3sCluster, type K3sFlag } from "../../../spec/index.ts";

export type ServerSettings = Record<string, K3sFlag | undefined>;

/**
 * What all servers are told alike. K3s checks some of it when a server joins; of the rest a single server that differs
 * brings back what the others have left out.
 */
export function serverSettings(cluster: K3sCluster): ServerSettings {
  const { settings } = cluster.distribution;
  const { podSubnets, serviceSubnets, dnsDomain } = cluster.network;
  const isBare = !hasFlannel(cluster);
  return {
    "tls-san": namesOf(cluster),
    "cluster-cidr": podSubnets.join(","),
    "service-cidr": serviceSubnets.join(","),
    "cluster-dns": serviceSubnets.map(dnsIn).join(","),
    "cluster-domain": dnsDomain,
    disable: disabledParts(cluster),
    "flannel-backend": isBare ? "none" : settings.flannel,
    "disable-network-policy": isBare ? true : undefined,
    "disable-kube-proxy": hasKubeProxy(cluster) ? undefined : true,
    "disable-cloud-controller": hasOtherCloud(cluster) ? true : undefined,
    "secrets-encryption": settings.encryption ? true : undefined,
    "etcd-snapshot-schedule-cron": settings.snapshots?.schedule,
    "etcd-snapshot-retention": settings.snapshots?.keep,
    "embedded-registry": settings.embeddedRegistry ? true : undefined,
  };
}

/** Cilium takes its place, and so does whatever a file without a CNI has in mind. */
export const hasFlannel = (cluster: K3sCluster): boolean =>
  cluster.kubernetesSettings?.cni !== "none" && !addonWith(cluster, "connectsPods");

/** As the file says, else unless Cilium does its work. */
const hasKubeProxy = (cluster: K3sCluster): boolean =>
  cluster.kubernetesSettings?.kubeProxy ?? !addonWith(cluster, "replacesKubeProxy");

/** Another than the small one K3s brings, which says no more about nodes than that they are there. */
export const hasOtherCloud = (cluster: K3sCluster): boolean =>
  addonWith(cluster, "isCloudController") !== undefined;

/** The tenth address, where pods look for DNS; networks of services are far larger than that. */
const dnsIn = (subnet: string): string => {
  const [network = ""] = subnet.split("/");
  const [a, b, c, d] = network.split(".");
  return `${a}.${b}.${c}.${Number(d) + 10}`;
};

/** What the API may be called by. Its own name and addresses each server adds itself, so a new one changes no other. */
const namesOf = ({ network, endpoint, distribution }: K3sCluster): string[] => [
  ...new Set([
    ...(network.vip === undefined ? [] : [network.vip]),
    new URL(endpoint).hostname.replace(/^\[|\]$/g, ""),
    ...(distribution.settings.certSANs ?? []),
  ]),
];

/** Two who hand out addresses of services would fight over each. */
function disabledParts(cluster: K3sCluster): string[] | undefined {
  const hasOtherAddresses = addonWith(cluster, "serviceAddresses") !== undefined;
  const parts = new Set([
    ...cluster.distribution.settings.disable,
    ...(hasOtherAddresses ? ["servicelb"] : []),
  ]);
  return parts.size === 0 ? undefined : [...parts].toSorted();
}
