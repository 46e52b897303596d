/** What dnsmasq has to know of a cluster's network. */
export interface DnsmasqCluster {
  name: string;
  /** First address of the network, and its mask. */
  base: string;
  netmask: string;
  cidr: string;
  gateway: string;
  /** None: dnsmasq names itself. */
  dns: string[];
  /** Addresses only: DHCP carries no names of time servers. */
  ntp: string[];
  searchDomains: string[];
  mtu?: number | undefined;
  nodes: DnsmasqNode[];
}

export interface DnsmasqNode {
  name: string;
  mac: string;
  /** Absent: any free one of the range. */
  address?: string | undefined;
}

/** Reservations for the nodes of a cluster, as a file for /etc/dnsmasq.d. Whom it does not name gets nothing from it. */
export function dnsmasqConf(cluster: DnsmasqCluster): string {
  const { name, base, netmask, cidr, searchDomains } = cluster;
  const [domain] = searchDomains;
  const option = (what: string, values: readonly (string | number)[]): string[] =>
    values.length > 0 ? [`dhcp-option=tag:${name},option:${what},${values.join(",")}`] : [];
  return [
    `# The nodes of ${name}, written by "slipway export dnsmasq ${name}". Goes to /etc/dnsmasq.d/${name}.conf of the`,
    "# DHCP server; then: dnsmasq --test && systemctl restart dnsmasq",
    `dhcp-range=set:${name},${base},static,${netmask}`,
    ...option("router", [cluster.gateway]),
    ...option("dns-server", cluster.dns),
    ...option("ntp-server", cluster.ntp),
    ...option("mtu", cluster.mtu === undefined ? [] : [cluster.mtu]),
    ...(domain === undefined ? [] : [`domain=${domain},${cidr}`]),
    ...option("domain-search", searchDomains),
    ...cluster.nodes.map(({ mac, address, name: node }) =>
      [`dhcp-host=${mac}`, ...(address === undefined ? [] : [address]), node].join(","),
    ),
    "",
  ].join("\n");
}
