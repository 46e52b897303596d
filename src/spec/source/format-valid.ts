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
  const file = printableText(fleet.file);
  const [counted, unique] = [`${counts.join(", ")};`, "no address, VMID or MAC twice"];
  const isNarrow = file.length + counted.length + unique.length + 6 > (options.width ?? Infinity);
  return isNarrow
    ? `${ok} ${strong(file)}\n  ${counted}\n  ${unique}`
    : `${ok} ${strong(file)}   ${counted} ${unique}`;
}
