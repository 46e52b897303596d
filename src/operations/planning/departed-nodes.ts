import type { LeftoverNode, Survey } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { Parts } from "./assemble.ts";

/**
 * Nodes that are neither in the file nor on a host any more, and that the cluster still counts: a run that was cut has
 * taken their machine away, or somebody has. Only names that this file gives, and none that may live.
 */
export async function departedNodes(
  cluster: Cluster,
  { machines, away = [] }: Survey,
  { distribution }: Pick<Parts, "distribution">,
  signal: AbortSignal,
): Promise<(LeftoverNode & { cluster: string })[]> {
  const own = machines.filter((each) => each.cluster === cluster.name);
  if (own.length === 0) return [];
  const known = new Set([...cluster.nodes.map(({ name }) => name), ...own.map(({ node }) => node)]);
  const series = new Map(cluster.nodes.map(({ name, role }) => [seriesOf(name), role]));
  const mayBeAway = new Set(
    away.filter((each) => each.cluster === cluster.name.toLowerCase()).map(({ name }) => name),
  );
  if (mayBeAway.has("")) return [];
  const remembered = await distribution.remember(cluster, signal);
  return [...remembered].flatMap(([node, { isReady }]) => {
    const role = series.get(seriesOf(node));
    const isGone = !isReady && !known.has(node) && !mayBeAway.has(node);
    return role !== undefined && isGone && /\d$/.test(node)
      ? [{ cluster: cluster.name, node, role, isOff: true }]
      : [];
  });
}

/** `cp-` of `cp-3`. */
const seriesOf = (name: string): string => name.replace(/\d+$/, "");
