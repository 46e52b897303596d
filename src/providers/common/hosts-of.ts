import type { PlacedNode } from "../../plan/index.ts";
import type { Host } from "../../spec/index.ts";

/** The hosts of these nodes, each once. */
export const hostsOf = <H extends Host>(placed: PlacedNode<H>[]): H[] => [
  ...new Map(placed.map(({ host }) => [host.name, host])).values(),
];
