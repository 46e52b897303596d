import type { ClusterDraft, FleetDraft } from "../draft.ts";
import { broadcastOf, type Cidr, formatCidr, formatIpv4, isInside, overlaps, parseIpv4 } from "../ipv4.ts";
import type { Problem } from "../problem.ts";
import type { Path } from "../text-places.ts";
import { elsewhere } from "./elsewhere.ts";

/** The networks of a cluster: the gateway inside, pods and services apart from the nodes and each other. */
export function checkNetworks({ clusters }: FleetDraft): Problem[] {
  return clusters.flatMap((draft) => [...gateway(draft), ...overlapping(draft)]);
}

function gateway({ cluster, cidr, document, path }: ClusterDraft): Problem[] {
  const position = document.locate([...path, "network", "gateway"]);
  const fault = unusable(cidr, parseIpv4(cluster.network.gateway) ?? 0);
  if (fault === undefined) return [];
  const what = `Gateway ${cluster.network.gateway} ${fault.why}`;
  return [{ code: fault.code, what, next: `Write an address like ${formatIpv4(cidr.base + 1)}`, position }];
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

interface Range {
  what: string;
  cidr: Cidr;
  path: Path;
}

function overlapping({ cidr, written, document, path }: ClusterDraft): Problem[] {
  const { podSubnets, serviceSubnets } = written.network;
  const network = [...path, "network"];
  const ranges: Range[] = [
    { what: "the nodes' network", cidr, path: [...network, "cidr"] },
    ...podSubnets.map((each, i): Range => ({
      what: "the pods' network",
      cidr: each,
      path: [...network, "podSubnets", i],
    })),
    ...serviceSubnets.map((each, i): Range => ({
      what: "the services' network",
      cidr: each,
      path: [...network, "serviceSubnets", i],
    })),
  ];
  return ranges.flatMap((range, i): Problem[] => {
    const other = ranges.slice(0, i).find((before) => overlaps(before.cidr, range.cidr));
    if (!other) return [];
    const position = document.locate(range.path);
    const otherPlace = document.locate(other.path);
    const isSamePlace = otherPlace.line === position.line && otherPlace.column === position.column;
    const where = isSamePlace ? "" : ` ${elsewhere(otherPlace, position)}`;
    return [
      {
        code: "SPEC_NETWORK_OVERLAP",
        what: `${capital(range.what)} ${formatCidr(range.cidr)} overlaps ${other.what} ${formatCidr(other.cidr)}${where}`,
        next: adviseApart(range, ranges),
        position,
      },
    ];
  });
}

/** A private network of the same size that is apart from all others. */
function adviseApart(range: Range, ranges: readonly Range[]): string {
  const name = String(range.path.findLast((part) => typeof part === "string"));
  for (let second = 244; second >= 0; second -= 4) {
    const free: Cidr = { base: 10 * 2 ** 24 + second * 2 ** 16, prefix: Math.max(16, range.cidr.prefix) };
    if (!ranges.some((other) => overlaps(other.cidr, free))) {
      return name === "cidr" ? `Write ${name}: ${formatCidr(free)}` : `Write ${name}: [${formatCidr(free)}]`;
    }
  }
  return "Choose networks that are apart";
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
