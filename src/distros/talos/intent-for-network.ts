import type { Cluster, Link, Nic, Node, Route, Vlan } from "../../spec/index.ts";
import type { LinkIntent, LinkSettings, NetworkIntent, RouteIntent, VlanIntent } from "./network-intent.ts";

/** How a node is connected: its first card, which carries its address and the VIP, then the others. */
export function networkFor(cluster: Cluster, node: Node): NetworkIntent {
  const { network } = cluster;
  let bonds = 0;
  return {
    links: [
      firstLink(cluster, node),
      ...(node.nics ?? []).map((nic) => furtherLink(nic, () => `bond${bonds++}`)),
    ],
    ...(network.dns.length > 0 && { dns: network.dns }),
    ...(network.searchDomains && { searchDomains: network.searchDomains }),
    ...(network.ntp && { ntp: network.ntp }),
    ...(network.hosts && { hosts: network.hosts }),
  };
}

/** Where the address is reserved at a DHCP server, so is the way out. */
function firstLink({ network }: Cluster, node: Node): LinkIntent {
  const others = (network.routes ?? []).map(route);
  const vip = node.role === "control-plane" ? network.vip : undefined;
  return {
    mac: node.mac,
    ...(node.isDhcp
      ? { dhcp: {}, ...(others.length > 0 && { routes: others }) }
      : {
          addresses: [`${node.address}/${network.prefix}`],
          routes: [{ gateway: network.gateway }, ...others],
        }),
    ...(network.mtu !== undefined && { mtu: network.mtu }),
    ...(vip !== undefined && { vip }),
    ...(node.vlans && { vlans: node.vlans.map(vlanIntent) }),
  };
}

function furtherLink(nic: Nic, nextBond: () => string): LinkIntent {
  const { bond } = nic;
  const settings = { ...linkSettings(nic), ...(nic.vlans && { vlans: nic.vlans.map(vlanIntent) }) };
  if (!bond) return { mac: nic.mac, ...settings };
  return {
    bond: {
      name: nextBond(),
      macs: [nic.mac, ...bond.with.map(({ mac }) => mac)],
      mode: bond.mode,
      ...(bond.lacpRate && { lacpRate: bond.lacpRate }),
      ...(bond.hashPolicy && { xmitHashPolicy: bond.hashPolicy }),
      // Without it a card whose wire is cut would still be used.
      miimonMs: 100,
    },
    ...settings,
  };
}

const vlanIntent = (vlan: Vlan): VlanIntent => ({ id: vlan.id, ...linkSettings(vlan) });

/** What DHCP offers beside the first link is less preferred as a way out, and never names the node. */
const linkSettings = (link: Link): LinkSettings => ({
  ...(link.address !== undefined && { addresses: [link.address] }),
  ...(link.isDhcp && { dhcp: { routeMetric: 2048, isHostnameIgnored: true } }),
  ...(link.mtu !== undefined && { mtu: link.mtu }),
  ...(link.routes && { routes: link.routes.map(route) }),
});

const route = ({ to, via, metric }: Route): RouteIntent => ({
  gateway: via,
  ...(to !== undefined && { destination: to }),
  ...(metric !== undefined && { metric }),
});
