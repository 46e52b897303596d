import type { Position } from "../../../errors/index.ts";
import type { ClusterDraft, FleetDraft, PoolDraft } from "../../complete/draft.ts";
import { nodePlace } from "../../complete/pools.ts";
import { broadcastOf, type Cidr, formatCidr, formatIpv4, isInside, parseIpv4 } from "../../values/ipv4.ts";
import { hasKnownAddress } from "../../model/dhcp-address.ts";
import type { Node } from "../../model/cluster.ts";
import { placeKey } from "../../source/positions.ts";
import { type Problem, Alike } from "../../source/problem.ts";
import { elsewhere } from "../elsewhere.ts";
import { hostnameOf } from "../../model/host-kinds.ts";

/** Who has an address. */
interface Claim {
  /** `the gateway`, or whose it is: `cp-1`. */
  what: string;
  isShared?: boolean;
  /** It is listed as a machine that exists, and two such are told apart there. */
  isListed?: boolean;
  /** Of what kind and pool, so that a hundred alike clashes are told once. */
  group: string;
  at: Position;
}

type Ledger = Map<number, Claim>;

/** One ledger for all clusters: every node and VIP has an address of its own, inside its network. */
export function checkAddresses(fleet: FleetDraft): Problem[] {
  const ledger = infrastructure(fleet);
  const isOne = fleet.clusters.length === 1;
  return [
    ...fleet.clusters.flatMap((draft) =>
      draft.pools.flatMap((pool) => poolAddresses(ledger, draft, pool, isOne)),
    ),
    ...fleet.clusters.flatMap((draft) => vip(ledger, draft)),
  ];
}

/** What is there already: hosts, gateways, name servers. Clusters may share these. */
function infrastructure({ hosts, clusters }: FleetDraft): Ledger {
  const ledger: Ledger = new Map();
  for (const { host } of hosts) {
    const address = parseIpv4(hostnameOf(host) ?? "");
    const claim = { what: `host ${host.name}`, group: "host", at: host.at };
    if (address !== undefined) ledger.set(address, claim);
  }
  for (const { cluster, document, path } of clusters) {
    const at = document.locate([...path, "network", "dns"]);
    for (const server of cluster.network.dns)
      ledger.set(parseIpv4(server) ?? 0, { what: "a name server", isShared: true, group: "dns", at });
    const gatewayAt = document.locate([...path, "network", "gateway"]);
    ledger.set(parseIpv4(cluster.network.gateway) ?? 0, {
      what: "the gateway",
      isShared: true,
      group: "gateway",
      at: gatewayAt,
    });
  }
  return ledger;
}

function poolAddresses(ledger: Ledger, draft: ClusterDraft, pool: PoolDraft, isOne: boolean): Problem[] {
  const alike = new Alike();
  for (const node of pool.nodes.filter(hasKnownAddress)) {
    const address = parseIpv4(node.address) ?? 0;
    const isSaid = pool.written.address !== undefined || pool.written.nodes[node.name]?.address !== undefined;
    // Zero then stands for "not known", and the check of pools has spoken about it.
    if (address === 0 && !isSaid) continue;
    const at = nodePlace(draft, pool, node, "address");
    const fault = unusable(draft.cidr, address);
    const other = ledger.get(address);
    if (fault && runsOut(draft, pool, node)) {
      alike.note("full", at, () => networkFull(draft, pool, node), "silently");
    } else if (fault) {
      alike.note(fault.code, at, () => ({
        code: fault.code,
        what: `${node.address} of ${node.name} ${fault.why}`,
        next: adviseRange(ledger, draft.cidr, pool, node),
      }));
    } else if (other?.isListed === true && node.machine) {
      continue;
    } else if (other) {
      alike.note(other.group, at, () => ({
        code: "SPEC_ADDRESS_TWICE",
        what: `${node.address} of ${node.name} is also ${other.isShared ? "" : "that of "}${other.what}${placeOf(other, at)}`,
        next: adviseRange(ledger, draft.cidr, pool, node),
      }));
    } else {
      const what = isOne ? node.name : `${node.name} in ${draft.cluster.name}`;
      const isListed = node.machine !== undefined;
      ledger.set(address, { what, group: `${draft.cluster.name}/${pool.name}`, at, isListed });
    }
  }
  return alike.told();
}

/** Why no machine of this network can have the address. */
export function unusable(cidr: Cidr, address: number): { code: string; why: string } | undefined {
  if (!isInside(cidr, address))
    return { code: "SPEC_ADDRESS_OUTSIDE", why: `is outside of ${formatCidr(cidr)}` };
  if (address === cidr.base)
    return { code: "SPEC_ADDRESS_RESERVED", why: "is the address of the network itself" };
  if (address === broadcastOf(cidr))
    return { code: "SPEC_ADDRESS_RESERVED", why: "is the broadcast address" };
  return undefined;
}

/** The pool begins well, but its network ends before it does. */
function runsOut({ cidr }: ClusterDraft, pool: PoolDraft, node: Node): boolean {
  const first = parseIpv4(pool.nodes[0]?.address ?? "") ?? 0;
  return pool.written.nodes[node.name]?.address === undefined && unusable(cidr, first) === undefined;
}

function networkFull({ cidr }: ClusterDraft, pool: PoolDraft, node: Node): Omit<Problem, "position"> {
  const first = pool.nodes[0]?.address ?? "";
  return {
    code: "SPEC_NETWORK_FULL",
    what: `From ${first} on there is room for ${pool.nodes.indexOf(node)} of ${pool.nodes.length} nodes`,
    next: `Begin with a lower address, or use a larger network than /${cidr.prefix}`,
  };
}

function vip(ledger: Ledger, draft: ClusterDraft): Problem[] {
  const { cluster, cidr, document, path } = draft;
  if (cluster.network.vip === undefined) return [];
  const address = parseIpv4(cluster.network.vip) ?? 0;
  const position = document.locate([...path, "network", "vip"]);
  const fault = unusable(cidr, address);
  const other = ledger.get(address);
  const free = freeForVip(ledger, draft);
  const unused = free === undefined ? "" : `; ${formatIpv4(free)} is unused here`;
  if (fault) {
    const what = `VIP ${cluster.network.vip} ${fault.why}`;
    return [{ code: fault.code, what, next: `Choose an address in the network${unused}`, position }];
  }
  if (other) {
    const what = `VIP ${cluster.network.vip} is also ${other.isShared ? "" : "the address of "}${other.what}${placeOf(other, position)}`;
    return [
      { code: "SPEC_ADDRESS_TWICE", what, next: `Give the VIP an address of its own${unused}`, position },
    ];
  }
  ledger.set(address, {
    what: `the VIP of ${cluster.name}`,
    isShared: true,
    group: `vip ${cluster.name}`,
    at: position,
  });
  return [];
}

const placeOf = (claim: Claim, seenFrom: Position): string =>
  placeKey(claim.at) === placeKey(seenFrom) && claim.at.file === seenFrom.file
    ? ""
    : ` ${elsewhere(claim.at, seenFrom)}`;

/** Just below the control planes, where people look for it; else the first free one. */
function freeForVip(ledger: Ledger, { cluster, cidr }: ClusterDraft): number | undefined {
  const first = parseIpv4(cluster.nodes[0]?.address ?? "") ?? 0;
  if (isInside(cidr, first)) {
    for (let address = first - 1; address > cidr.base; address--) if (!ledger.has(address)) return address;
  }
  return freeRange(ledger, cidr, 1);
}

function adviseRange(ledger: Ledger, cidr: Cidr, pool: PoolDraft, node: Node): string {
  const isOwn = pool.written.nodes[node.name]?.address !== undefined;
  const needed = isOwn ? 1 : (pool.nodes.at(-1)?.index ?? 1);
  const start = freeRange(ledger, cidr, needed);
  if (start === undefined) return "Use a larger network, or fewer nodes";
  if (isOwn) return `Write an address that is free, like ${formatIpv4(start)}`;
  if (needed === 1) return `Write address: ${formatIpv4(start)}, which is unused here`;
  return `Write address: ${formatIpv4(start)}; ${needed} in a row are unused here from there`;
}

/** Where `needed` unused addresses begin, looked for from .100 on and then from the start. */
function freeRange(ledger: Ledger, cidr: Cidr, needed: number): number | undefined {
  const starts = cidr.prefix <= 24 ? [cidr.base + 100, cidr.base + 1] : [cidr.base + 1];
  const last = Math.min(broadcastOf(cidr) - 1, cidr.base + 65_536);
  for (const from of starts) {
    let run = 0;
    for (let address = from; address <= last; address++) {
      run = ledger.has(address) ? 0 : run + 1;
      if (run === needed) return address - needed + 1;
    }
  }
  return undefined;
}
