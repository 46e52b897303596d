import {
  hasKnownMac,
  type Cluster,
  type Link,
  type Nic,
  type Node,
  type Route,
  type Vlan,
} from "../../../spec/index.ts";
import type { LinkIntent, LinkSettings, NetworkIntent, RouteIntent, VlanIntent } from "../config/index.ts";

/** How a node is connected: its first card, which carries its address and the VIP, then the others. */
export function networkFor(cluster: Cluster, node: Node): NetworkIntent {
  const { network } = cluster;
  let bonds = 0;
  return {
    links: [
      // A NIC that nobody has named is left to DHCP, as it was before there was a config.
      ...(hasKnownMac(node) ? [firstLink(cluster, node)] : []),
      ...(node.nics ?? []).map((nic) => furtherLink(nic, () => `bond${bonds++}`)),
    ],
    dns: network.dns.length > 0 ? network.dns : undefined,
    searchDomains: network.searchDomains,
    ntp: network.ntp,
    hosts: network.hosts,
  };
}

/** Where the address is reserved at a DHCP server, so is the way out. */
function firstLink({ network }: Cluster, node: Node): LinkIntent {
  const others = (network.routes ?? []).map(route);
  const vip = node.role === "control-plane" ? network.vip : undefined;
  return {
    mac: node.mac,
    ...(node.isDhcp
      ? { dhcp: {}, routes: others.length > 0 ? others : undefined }
      : {
          addresses: [`${node.address}/${network.prefix}`],
          routes: [{ gateway: network.gateway }, ...others],
        }),
    mtu: network.mtu,
    vip,
    vlans: node.vlans?.map(vlanIntent),
  };
}

function furtherLink(nic: Nic, nextBond: () => string): LinkIntent {
  const { bond } = nic;
  const settings = { ...linkSettings(nic), vlans: nic.vlans?.map(vlanIntent) };
  if (!bond) return { mac: nic.mac, ...settings };
  return {
    bond: {
      name: nextBond(),
      macs: [nic.mac, ...bond.with.map(({ mac }) => mac)],
      mode: bond.mode,
      lacpRate: bond.lacpRate,
      xmitHashPolicy: bond.hashPolicy,
      // Without it a card whose wire is cut would still be used.
      miimonMs: 100,
    },
    ...settings,
  };
}

const vlanIntent = (vlan: Vlan): VlanIntent => ({ id: vlan.id, ...linkSettings(vlan) });

/** What DHCP offers beside the first link is less preferred as a way out, and never names the node. */
const linkSettings = (link: Link): LinkSettings => ({
  addresses: link.address === undefined ? undefined : [link.address],
  dhcp: link.isDhcp ? { routeMetric: 2048, isHostnameIgnored: true } : undefined,
  mtu: link.mtu,
  routes: link.routes?.map(route),
});

const route = ({ to, via, metric }: Route): RouteIntent => ({
  gateway: via,
  destination: to,
  metric,
});
