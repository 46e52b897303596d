import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { type Cidr, formatCidr, formatIpv4, overlaps, parseIpv4 } from "../../values/ipv4.ts";
import type { Problem } from "../../source/problem.ts";
import { placeKey, type Path } from "../../source/positions.ts";
import { elsewhere } from "../elsewhere.ts";
import { unusable } from "./addresses.ts";

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
    const isSamePlace = placeKey(otherPlace) === placeKey(position);
    const where = isSamePlace ? "" : ` ${elsewhere(otherPlace, position)}`;
    return [
      {
        code: "SPEC_NETWORK_OVERLAP",
        what: `${capital(range.what)} ${formatCidr(range.cidr)} overlaps ${other.what} ${formatCidr(other.cidr)}${where}`,
        next: adviseDisjoint(range, ranges),
        position,
      },
    ];
  });
}

/** A private network of the same size that is apart from all others. */
function adviseDisjoint(range: Range, ranges: readonly Range[]): string {
  const name = String(range.path.findLast((part) => typeof part === "string"));
  for (let second = 244; second >= 0; second -= 4) {
    const free: Cidr = { base: 10 * 2 ** 24 + second * 2 ** 16, prefix: Math.max(16, range.cidr.prefix) };
    if (!ranges.some((other) => overlaps(other.cidr, free))) {
      return name === "cidr" ? `Write ${name}: ${formatCidr(free)}` : `Write ${name}: [${formatCidr(free)}]`;
    }
  }
  return "Choose networks that do not overlap";
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
