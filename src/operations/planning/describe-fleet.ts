import {
  machineStep,
  placeNodes,
  withTopology,
  type Graph,
  type MachineNeeds,
  type PlacedNode,
  type StepId,
  type Survey,
} from "../../plan/index.ts";
import { rolloutOf, type Cluster, type Fleet } from "../../spec/index.ts";
import { withQuietControllers } from "../restore/quiet-controllers.ts";
import { hostsOf, type Parts } from "./assemble.ts";
import { markedAgain } from "./lost-hosts.ts";
import type { MadeAgain } from "./made-again.ts";
import { afterOthers, withRegistrations } from "./relations.ts";
import { standingNodes } from "./replacement.ts";

export interface Described {
  graph: Graph;
  placed: Map<string, PlacedNode[]>;
}

const nothingAgain: MadeAgain = { replaced: new Set(), lost: new Set() };

/** Everything the clusters need, as one graph. */
export async function describeFleet(
  fleet: Fleet,
  clusters: Cluster[],
  survey: Survey,
  parts: Parts,
  again: MadeAgain = nothingAgain,
): Promise<Described> {
  const { placed, described: bare } = await describeBare(fleet, clusters, survey, parts, again);
  const described = await Promise.all(
    bare.map(async ({ cluster, machines, nodes }): Promise<[string, Graph]> => {
      const graph = [...machines, ...nodes, ...(await describeAddons(cluster, machines, parts))];
      const apiStep = parts.distribution.apiStep(cluster);
      return [cluster.name, withQuietControllers(cluster, graph, again.restores, apiStep)];
    }),
  );
  const graphs = withRegistrations(fleet, new Map(described));
  const graph = clusters.flatMap((cluster) =>
    inBatches(cluster, afterOthers(cluster, graphs.get(cluster.name) ?? [], graphs)),
  );
  return { graph, placed };
}

/** A cluster before anything runs in it. */
interface BareCluster {
  cluster: Cluster;
  machines: Graph;
  nodes: Graph;
}

/** Machines and what becomes of them, without what runs in their clusters. */
export async function describeBare(
  fleet: Fleet,
  clusters: Cluster[],
  survey: Survey,
  parts: Parts,
  again: MadeAgain = nothingAgain,
): Promise<{ placed: Map<string, PlacedNode[]>; described: BareCluster[] }> {
  const { replaced, lost } = again;
  const ids = parts.provider.machineIds(survey, clusters);
  const found = placeNodes(clusters, hostsOf(fleet, clusters), survey, ids);
  const placed = markedAgain(found, replaced, lost);
  const placedIn = ({ name }: Cluster): PlacedNode[] => placed.get(name) ?? [];
  const needs = { survey, ids, all: [...placed.values()].flat() };
  const graphs = await Promise.all(
    clusters.map((cluster) => describeNodes(cluster, placedIn(cluster), survey, parts, again)),
  );
  // In the order of the file: the numbers of what is new are given in it.
  const described = clusters.map((cluster, index): BareCluster => {
    const nodes = graphs[index] ?? [];
    const machines = parts.provider.describe(cluster, placedIn(cluster), {
      ...needs,
      installedStep: (node) => parts.distribution.installedStep(cluster, node),
      archiveOf: (node) => again.archives?.get(`${cluster.name}/${node}`),
      ...seedOf(cluster, nodes, parts),
    });
    return { cluster, machines, nodes };
  });
  return { placed, described };
}

/** Where the file says so, several workers may be away at once. */
function inBatches(cluster: Cluster, graph: Graph): Graph {
  const atOnce = rolloutOf(cluster).workers;
  if (atOnce === 1) return graph;
  return graph.map((node) => (node.role === "worker" ? { ...node, atOnce } : node));
}

/** What becomes of the machines of a cluster. */
function describeNodes(
  cluster: Cluster,
  placed: PlacedNode[],
  { machines }: Survey,
  parts: Parts,
  again: MadeAgain,
): Promise<Graph> {
  const placedAs = new Map(placed.map((each) => [each.node.name, each]));
  return parts.distribution.describe(withTopology(cluster, placed), {
    stepOf: (node) => machineStep(cluster.name, node),
    existing: standingNodes(cluster, machines, again),
    placeOf: (node) => {
      const found = placedAs.get(node);
      if (!found) throw new Error(`node ${node} was not placed`);
      return { host: found.host.name, id: found.id };
    },
    ...networkStep(cluster, parts),
    recovery: again.restores?.cluster === cluster.name ? again.restores.recovery : undefined,
  });
}

/** What the seeds of new machines wait for, and what is on them. */
function seedOf(
  cluster: Cluster,
  nodes: Graph,
  { distribution }: Parts,
): Pick<MachineNeeds, "seedStep" | "firstConfig"> {
  const seedStep = distribution.seedStep(cluster);
  if (seedStep === undefined) return {};
  const configs = distribution.firstConfigs?.(cluster, nodes);
  return { seedStep, firstConfig: (node) => configs?.get(node) };
}

const networkStep = (cluster: Cluster, { addons }: Parts): { networkStep?: StepId } => {
  const step = addons.networkStep(cluster);
  return step === undefined ? {} : { networkStep: step };
};

async function describeAddons(
  cluster: Cluster,
  machines: Graph,
  { addons, distribution, provider }: Parts,
): Promise<Graph> {
  const apiStep = distribution.apiStep(cluster);
  const accountSteps = provider.accounts.among(machines).map(({ id }) => id);
  return apiStep === undefined ? [] : addons.describe(cluster, apiStep, accountSteps);
}
