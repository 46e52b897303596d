import type { ClusterDraft, FleetDraft, PoolDraft } from "../../complete/draft.ts";
import { type Cidr, formatCidr, isInside, networkOf, parseIpv4 } from "../../values/ipv4.ts";
import type { WrittenNic, WrittenRoute, WrittenVlan } from "../../schema/links.ts";
import type { Problem } from "../../source/problem.ts";
import type { Path } from "../../source/positions.ts";

/** Further cards and VLANs as they are written: each says one thing, its ways lead out of its own network. */
export function checkLinks({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) => [
    ...routesOf(draft, draft.written.network.routes, [...draft.path, "network"], draft.cidr),
    ...draft.pools.flatMap((pool) => writtenLinks(pool).flatMap((place) => checkWritten(draft, place))),
  ]);
}

interface WrittenPlace {
  nics: readonly WrittenNic[];
  vlans: readonly WrittenVlan[];
  path: Path;
}

const writtenLinks = (pool: PoolDraft): WrittenPlace[] => [
  { nics: pool.written.nics ?? [], vlans: pool.written.vlans ?? [], path: pool.path },
  ...Object.entries(pool.written.nodes).map(([name, node]) => ({
    nics: node.nics ?? [],
    vlans: node.vlans ?? [],
    path: [...pool.path, "nodes", name],
  })),
];

function checkWritten(draft: ClusterDraft, { nics, vlans, path }: WrittenPlace): Problem[] {
  const { mtu, vlan } = draft.written.network;
  return [
    ...checkVlans(draft, vlans, path, { mtu, vlan }),
    ...nics.flatMap((nic, i) => {
      const own = [...path, "nics", i];
      return [
        ...checkLink(draft, nic, own),
        ...checkVlans(draft, nic.vlans ?? [], own, { mtu: nic.mtu, vlan: nic.vlan }),
        ...rateWithoutLacp(draft, nic, own),
      ];
    }),
  ];
}

function checkVlans(
  draft: ClusterDraft,
  vlans: readonly WrittenVlan[],
  path: Path,
  port: { mtu: number | undefined; vlan: number | undefined },
): Problem[] {
  return vlans.flatMap((vlan, i): Problem[] => {
    const own = [...path, "vlans", i];
    const problems = checkLink(draft, vlan, own);
    const position = (name: string) => draft.document.locate([...own, name]);
    if (port.vlan !== undefined) {
      problems.push({
        code: "SPEC_CHOOSE_ONE",
        what: `The host already tags this NIC with VLAN ${port.vlan}; a VLAN on top of it would be tagged twice`,
        next: "Give the NIC no vlan:, or add a NIC for this VLAN",
        position: position("id"),
      });
    }
    if (vlans.findIndex((other) => other.id === vlan.id) < i) {
      const what = `VLAN ${vlan.id} is listed twice on the same NIC`;
      problems.push({ code: "SPEC_NAME_TWICE", what, next: "Keep one of the two", position: position("id") });
    }
    if ((vlan.mtu ?? 0) > (port.mtu ?? 1500)) {
      problems.push({
        code: "SPEC_OUT_OF_RANGE",
        what: `An MTU of ${vlan.mtu} does not fit on a NIC of ${port.mtu ?? 1500}`,
        next: `Give the NIC mtu: ${vlan.mtu} as well`,
        position: position("mtu"),
      });
    }
    return problems;
  });
}

function checkLink(draft: ClusterDraft, link: Omit<WrittenVlan, "id">, path: Path): Problem[] {
  const problems = routesOf(draft, link.routes, path, link.address && networkOf(link.address));
  if (link.dhcp === true && link.address !== undefined) {
    problems.push({
      code: "SPEC_CHOOSE_ONE",
      what: "address and dhcp exclude each other",
      next: "Keep one of the two",
      position: draft.document.locate([...path, "dhcp"]),
    });
  }
  return problems;
}

function rateWithoutLacp(draft: ClusterDraft, { bond }: WrittenNic, path: Path): Problem[] {
  if (bond?.lacpRate === undefined || bond.mode === "802.3ad") return [];
  const position = draft.document.locate([...path, "bond", "lacpRate"]);
  const what = `Mode ${bond.mode} speaks no LACP`;
  return [{ code: "SPEC_CHOOSE_ONE", what, next: "Remove lacpRate, or write mode: 802.3ad", position }];
}

/** A gateway is a neighbour: it stands in the link's own network. With DHCP nobody knows that yet. */
function routesOf(
  draft: ClusterDraft,
  routes: readonly WrittenRoute[] | undefined,
  path: Path,
  network: Cidr | undefined,
): Problem[] {
  return (routes ?? []).flatMap(({ via }, i): Problem[] => {
    const position = draft.document.locate([...path, "routes", i, "via"]);
    const isShort = via.startsWith(".");
    if (network === undefined) {
      const what = `${via} cannot be completed: this link has no address of its own`;
      const next = "Write the whole address of the gateway";
      return isShort ? [{ code: "SPEC_BAD_ADDRESS", what, next, position }] : [];
    }
    const gateway = isShort ? undefined : parseIpv4(via);
    if (gateway === undefined || isInside(network, gateway)) return [];
    return [
      {
        code: "SPEC_ADDRESS_OUTSIDE",
        what: `Gateway ${via} is outside of ${formatCidr(network)}, so it cannot be reached there`,
        next: `Write an address in ${formatCidr(network)}`,
        position,
      },
    ];
  });
}
