import { isIPv4 } from "node:net";
import { dnsmasqConf } from "../exports/index.ts";
import { hasKnownAddress, type Cluster, type Fleet } from "../spec/index.ts";
import type { ExportedFile } from "./export.ts";
import { selectClusters, type Selection } from "./select.ts";

/** Reservations for the nodes' addresses, a file for dnsmasq each. Nothing outside the cluster file is read. */
export const exportDnsmasq = (request: { fleet: Fleet; selection: Selection }): ExportedFile[] =>
  selectClusters(request.fleet, request.selection).map((cluster) => ({
    cluster: cluster.name,
    name: `${cluster.name}.conf`,
    text: dnsmasqConf(reservationsOf(cluster)),
  }));

function reservationsOf({ name, network, nodes }: Cluster) {
  const [base = ""] = network.cidr.split("/");
  return {
    name,
    base,
    netmask: netmaskOf(network.prefix),
    cidr: network.cidr,
    gateway: network.gateway,
    dns: network.dns,
    ntp: (network.ntp ?? []).filter(isIPv4),
    searchDomains: network.searchDomains ?? [],
    mtu: network.mtu,
    nodes: nodes.map((node) => ({
      name: node.name,
      mac: node.mac,
      address: hasKnownAddress(node) ? node.address : undefined,
    })),
  };
}

const netmaskOf = (prefix: number): string =>
  [0, 8, 16, 24].map((bit) => 256 - 2 ** (8 - Math.min(8, Math.max(0, prefix - bit)))).join(".");
