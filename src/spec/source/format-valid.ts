import { count, styleOf, type FormatOptions } from "./format-style.ts";
import type { Fleet } from "../model/cluster.ts";
import { printableText } from "./printable.ts";

/** The one line for a file without problems. */
export function formatValid(fleet: Fleet, options: FormatOptions = {}): string {
  const { ok, strong } = styleOf(options);
  const nodes = fleet.clusters.reduce((sum, cluster) => sum + cluster.nodes.length, 0);
  const counts = [
    count(fleet.clusters.length, "cluster"),
    count(nodes, "node"),
    count(fleet.hosts.length, "host"),
  ];
  return `${ok} ${strong(printableText(fleet.file))}   ${counts.join(", ")}; no address, VMID or MAC twice`;
}
