import {
  machineStep,
  type Graph,
  type LeftoverNode,
  type ReadContext,
  type Stage,
  type Survey,
} from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { Selection } from "../fleet/select.ts";
import type { Parts } from "./assemble.ts";
import { describeFenced } from "./lost-hosts.ts";
import type { MadeAgain } from "./made-again.ts";
import { staleRegistrations } from "./relations.ts";
import { describeReplaced } from "./replacement.ts";

interface Found {
  clusters: Cluster[];
  survey: Survey;
  parts: Parts;
  /** All that is wanted. */
  graph: Graph;
  again: MadeAgain;
}

/** Machines and add-ons that carry a cluster's mark and are no longer in the file. With one node selected, none is looked at. */
export async function leftovers(
  { fleet, selection, until }: { fleet: Fleet; selection: Selection; until: Stage },
  { clusters, survey, parts, graph: planned, again: made }: Found,
  ctx: ReadContext,
): Promise<Graph> {
  const again = describeReplaced(clusters, survey, parts, planned, made);
  const old = afterLeftovers(again.machines, again.objects);
  if (selection.node !== undefined) return [...old, ...again.objects];
  const wanted = new Map(
    clusters.map((cluster) => [cluster.name, new Set(cluster.nodes.map((node) => node.name))]),
  );
  const isUnwanted = (machine: { cluster: string; node: string }) =>
    wanted.get(machine.cluster)?.has(machine.node) === false;
  const allImages = new Set(survey.images.map((image) => image.file));
  const removalScope = { losesData: false, clusters: clusters.map((cluster) => cluster.name) };
  const leftover = parts.provider.describeLeftovers(survey, isUnwanted, allImages, removalScope, planned);
  const departed = await Promise.all(clusters.map((each) => departedNodes(each, survey, parts, ctx.signal)));
  const leaving = [
    ...survey.machines.filter(isUnwanted).map((each) => ({ ...each, isOff: !each.isRunning })),
    ...departed.flat(),
  ];
  const gone = clusters.flatMap((cluster) =>
    parts.distribution.describeLeftovers(
      cluster,
      leaving.filter((machine) => machine.cluster === cluster.name),
      (node) => machineStep(cluster.name, node),
    ),
  );
  const objects = [...gone, ...again.objects];
  const fenced = describeFenced(survey, clusters, parts, planned);
  const machines = [...fenced, ...afterLeftovers(leftover, gone), ...old];
  const templates = parts.provider.describeOldBootSources(ctx, survey, fleet, machines);
  if (until !== "addons") return [...machines, ...templates, ...objects];
  const addons = clusters.map((each) => parts.addons.describeLeftovers(ctx, each));
  const registrations = staleRegistrations(ctx, clusters, fleet, parts);
  return [
    ...machines,
    ...templates,
    ...objects,
    ...(await registrations),
    ...(await Promise.all(addons)).flat(),
  ];
}

/** A machine waits for what its node has to leave behind, unless that in turn comes after it. */
const afterLeftovers = (machines: Graph, objects: Graph): Graph =>
  machines.map((machine) => {
    const first = objects.filter(
      ({ cluster, node, after }) =>
        cluster === machine.cluster && node === machine.node && !after.includes(machine.id),
    );
    return first.length === 0
      ? machine
      : { ...machine, after: [...machine.after, ...first.map(({ id }) => id)] };
  });

/**
 * Nodes that are neither in the file nor on a host any more, and that the cluster still counts: a run that was cut has
 * taken their machine away, or somebody has. Only names that this file gives, and none that may live.
 */
async function departedNodes(
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
