import type { Position } from "../../../errors/index.ts";
import type { ClusterDraft, FleetDraft, PoolDraft } from "../../complete/draft.ts";
import { nodePlace } from "../../complete/pools.ts";
import {
  broadcastOf,
  type Cidr,
  formatCidr,
  formatIpv4,
  networkOf,
  overlaps,
  parseCidr,
} from "../../values/ipv4.ts";
import type { Node } from "../../model/cluster.ts";
import type { Link, Nic } from "../../model/network.ts";
import { type Problem, Alike } from "../../source/problem.ts";
import { elsewhere } from "../elsewhere.ts";

type Taken = Map<string, { what: string; at: Position }>;

/** Addresses of further cards and VLANs: in a network of their own, each once. */
export function checkLinkAddresses({ clusters }: FleetDraft): Problem[] {
  const taken: Taken = new Map();
  return clusters.flatMap((draft) => draft.pools.flatMap((pool) => linkAddresses(draft, pool, taken)));
}

function linkAddresses(draft: ClusterDraft, pool: PoolDraft, taken: Taken): Problem[] {
  const alike = new Alike();
  for (const node of pool.nodes) {
    for (const { link, wire, field } of linksWithAddress(draft, node)) {
      const at = nodePlace(draft, pool, node, field);
      const found = parseCidr(link.address);
      if (!found) continue;
      const network = networkOf(found);
      const fault = wrongNetwork(draft, network) ?? leavesNetwork(pool, node, field, found);
      if (fault) {
        alike.note(fault.code, at, () => fault, "silently");
        continue;
      }
      const key = `${wire} ${formatIpv4(found.base)}`;
      const other = taken.get(key);
      if (other) {
        alike.note("twice", at, () => ({
          code: "SPEC_ADDRESS_TWICE",
          what: `${formatIpv4(found.base)} of ${node.name} is also that of ${other.what} ${elsewhere(other.at, at)}`,
          next: "Begin with another address",
        }));
      } else taken.set(key, { what: node.name, at });
    }
  }
  return alike.told();
}

/** The wire is what tells two networks of the same numbers apart. */
function linksWithAddress(draft: ClusterDraft, node: Node) {
  const { bridge, vlan } = draft.cluster.network;
  const of = (port: Pick<Nic, "bridge" | "vlan" | "vlans"> & Link, field: "nics" | "vlans") => {
    const wire = `${port.bridge}/${port.vlan ?? ""}`;
    const links = [
      { link: port, wire },
      ...(port.vlans ?? []).map((each) => ({ link: each, wire: `${wire}.${each.id}` })),
    ];
    return links.flatMap(({ link, wire: on }) =>
      link.address === undefined ? [] : [{ link: { address: link.address }, wire: on, field }],
    );
  };
  const first = { bridge, vlan, vlans: node.vlans ?? [] };
  return [...of(first, "vlans"), ...(node.nics ?? []).flatMap((nic) => of(nic, "nics"))];
}

function wrongNetwork({ cidr, written }: ClusterDraft, network: Cidr): Omit<Problem, "position"> | undefined {
  const others: [string, Cidr][] = [
    ["the nodes' network", cidr],
    ...written.network.podSubnets.map((each): [string, Cidr] => ["the pods' network", each]),
    ...written.network.serviceSubnets.map((each): [string, Cidr] => ["the services' network", each]),
  ];
  const other = others.find(([, each]) => overlaps(each, network));
  return (
    other && {
      code: "SPEC_NETWORK_OVERLAP",
      what: `${formatCidr(network)} overlaps ${other[0]} ${formatCidr(other[1])}, so answers could leave through the wrong NIC`,
      next: "Use a network of its own for this NIC",
    }
  );
}

/** Counted up from the first node's, an address may leave the network that one is in. */
function leavesNetwork(
  pool: PoolDraft,
  node: Node,
  field: "nics" | "vlans",
  found: Cidr,
): Omit<Problem, "position"> | undefined {
  if (pool.written.nodes[node.name]?.[field] !== undefined || found.prefix === 31) return undefined;
  const network = networkOf(found);
  const first = networkOf({ base: found.base - (node.index - 1), prefix: found.prefix });
  if (first.base === network.base && found.base !== broadcastOf(network)) return undefined;
  return {
    code: "SPEC_NETWORK_FULL",
    what: `Counted up to ${node.name}, ${formatIpv4(found.base)} leaves ${formatCidr(first)}`,
    next: `Begin with a lower address, or use a larger network than /${found.prefix}`,
  };
}
