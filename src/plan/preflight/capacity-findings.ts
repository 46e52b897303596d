import type { SlipwayError } from "../../errors/index.ts";
import type { Host } from "../../spec/index.ts";
import { failed, type Finding } from "../check.ts";
import type { WantedNode } from "./host-view.ts";
import type { HostFacts } from "../contract/provider.ts";
import { freeCapacityOf } from "../placement/free-capacity.ts";

const reserveMiB = 1024;

/** `7.5 GiB`. */
export const gibOfMiB = (memoryMiB: number): string => `${Math.round((memoryMiB / 1024) * 10) / 10} GiB`;

/** What all clusters of the run want of a host, and what it has. */
export interface Demand {
  host: Host;
  facts: HostFacts;
  nodes: WantedNode[];
}

/** Counts what nodes want beyond what their machines already have. */
export function memoryFinding(
  { host, facts, nodes }: Demand,
  explain: (short: { neededMiB: number; freeMiB: number; total: string }) => SlipwayError,
): Finding {
  const neededMiB = beyondMachines(nodes, "memoryMiB");
  const freeMiB = Math.max(0, freeCapacityOf(host, facts).memoryMiB);
  const total = `${gibOfMiB(facts.memoryMiB)} × ${host.overcommit.memory.toFixed(1)}`;
  const shown = { needed: gibOfMiB(neededMiB), found: `${gibOfMiB(freeMiB)} free of ${total}` };
  if (neededMiB > freeMiB) return failed(explain({ neededMiB, freeMiB, total }), shown);
  const isTight = neededMiB > 0 && freeMiB - neededMiB < reserveMiB;
  return { status: isTight ? "warned" : "ok", ...shown };
}

/** Counts as for memory. `refusal` is why one of the nodes could not start there, whatever may be promised in all. */
export function coresFinding(
  { host, facts, nodes }: Demand,
  explain: (short: { needed: number; free: number; total: string }) => SlipwayError,
  refusal?: SlipwayError,
): Finding {
  const needed = beyondMachines(nodes, "cores");
  const free = Math.max(0, freeCapacityOf(host, facts).cores);
  const total = `${facts.cores} × ${host.overcommit.cores}`;
  const shown = { needed: `${needed}`, found: `${free} free of ${total}` };
  if (refusal) return failed(refusal, shown);
  return needed > free ? failed(explain({ needed, free, total }), shown) : { status: "ok", ...shown };
}

const beyondMachines = (nodes: WantedNode[], what: "memoryMiB" | "cores"): number =>
  nodes.reduce((sum, { node, machine }) => sum + Math.max(0, node[what] - (machine?.[what] ?? 0)), 0);
