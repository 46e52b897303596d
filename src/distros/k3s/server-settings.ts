import type { K3sCluster, K3sFlag } from "../../spec/index.ts";

export type ServerSettings = Record<string, K3sFlag | undefined>;

/**
 * What all servers are told alike. K3s checks some of it when a server joins; of the rest a single server that differs
 * brings back what the others have left out.
 */
export function serverSettings(cluster: K3sCluster): ServerSettings {
  const { settings } = cluster.distribution;
  const { podSubnets, serviceSubnets, dnsDomain } = cluster.network;
  const isBare = cluster.kubernetesSettings?.cni === "none";
  return {
    "tls-san": namesOf(cluster),
    "cluster-cidr": podSubnets.join(","),
    "service-cidr": serviceSubnets.join(","),
    "cluster-dns": serviceSubnets.map(dnsIn).join(","),
    "cluster-domain": dnsDomain,
    disable: disabledParts(cluster),
    "flannel-backend": isBare ? "none" : settings.flannel,
    "disable-network-policy": isBare ? true : undefined,
    "disable-kube-proxy": cluster.kubernetesSettings?.hasKubeProxy === false ? true : undefined,
    "secrets-encryption": settings.isEncrypting ? true : undefined,
    "etcd-snapshot-schedule-cron": settings.snapshots?.schedule,
    "etcd-snapshot-retention": settings.snapshots?.keep,
    "embedded-registry": settings.hasEmbeddedRegistry,
  };
}

/** The tenth address, where pods look for DNS; networks of services are far larger than that. */
const dnsIn = (subnet: string): string => {
  const [network = ""] = subnet.split("/");
  const [a, b, c, d] = network.split(".");
  return `${a}.${b}.${c}.${Number(d) + 10}`;
};

/** Everything somebody may call the API by; what is not among them is refused. */
const namesOf = ({ network, endpoint, nodes, distribution }: K3sCluster): string[] => [
  ...new Set([
    ...(network.vip === undefined ? [] : [network.vip]),
    new URL(endpoint).hostname.replace(/^\[|\]$/g, ""),
    ...nodes.filter(({ role }) => role === "control-plane").flatMap(({ address, name }) => [address, name]),
    ...(distribution.settings.certSANs ?? []),
  ]),
];

/** Two who hand out addresses of services would fight over each. */
function disabledParts({ distribution, addons }: K3sCluster): string[] | undefined {
  const hasOtherAddresses = addons.some((addon) => addon.name === "cilium" && addon.options.pools.length > 0);
  const parts = new Set([...distribution.settings.disable, ...(hasOtherAddresses ? ["servicelb"] : [])]);
  return parts.size === 0 ? undefined : [...parts].toSorted();
}
