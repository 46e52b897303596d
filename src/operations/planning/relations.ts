import { addonStep } from "../../addons/steps/index.ts";
import type { Graph, GraphNode, ReadContext, StepId } from "../../plan/index.ts";
import {
  describeLeftover,
  describeRegistration,
  ownClusters,
  registrationStep,
  type RancherWorld,
} from "../../addons/rancher/registration/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import { addonWith, type Cluster, type Fleet } from "../../spec/index.ts";

/** The graph of each cluster, by its name. */
export type Graphs = ReadonlyMap<string, Graph>;

/** Clusters that Rancher is to manage are registered once both sides are there. */
export function withRegistrations(fleet: Fleet, graphs: Graphs): Graphs {
  const registrationOf = (name: string, graph: Graph): Graph => {
    const cluster = fleet.clusters.find((each) => each.name === name);
    const manager = fleet.clusters.find((each) => each.name === cluster?.registerWith?.cluster);
    if (!cluster || !manager) return [];
    const addon = graphs.has(manager.name) ? addonWith(manager, "managesClusters") : undefined;
    const rancher = addon ? [addonStep(manager.name, addon.id)] : [];
    const own = graph.filter(({ stage }) => stage === "kubernetes").map(({ id }) => id);
    return describeRegistration(cluster, manager, [...own, ...rancher], rancher);
  };
  return new Map([...graphs].map(([name, graph]) => [name, [...graph, ...registrationOf(name, graph)]]));
}

/** Registrations of clusters that go, and everything else of them after those. */
export function unregisteredFirst(graph: Graph, removing: Cluster[], fleet: Fleet): Graph {
  const leftovers = removing.flatMap((cluster): GraphNode[] => {
    const manager = fleet.clusters.find((each) => each.name === cluster.registerWith?.cluster);
    return manager ? [describeLeftover(cluster, manager)] : [];
  });
  const steps = new Set(leftovers.map(({ id }) => id));
  return [
    ...leftovers,
    ...graph.map((node) => {
      const registration = registrationStep(node.cluster);
      return steps.has(registration) && !isShared(node)
        ? { ...node, after: [...node.after, registration] }
        : node;
    }),
  ];
}

/** Registrations that no file asks for any more. Nothing is removed where Rancher cannot be asked. */
export async function staleRegistrations(
  ctx: ReadContext,
  managers: Cluster[],
  fleet: Fleet,
  { openKube }: RancherWorld,
): Promise<Graph> {
  const found = managers
    .filter((cluster) => addonWith(cluster, "managesClusters"))
    .map(async (manager): Promise<Graph> => {
      const wanted = fleet.clusters.filter(({ registerWith }) => registerWith?.cluster === manager.name);
      try {
        const kube = await openKube(manager);
        const names = kube ? await ownClusters(kube, ctx.signal) : [];
        return names
          .filter((name) => !wanted.some((cluster) => cluster.name === name))
          .map((name) => describeLeftover({ name }, manager));
      } catch (thrown) {
        if (thrown instanceof SlipwayError) return [];
        throw thrown;
      }
    });
  return (await Promise.all(found)).flat();
}

/** Kubernetes is set up only when the clusters it depends on are whole. Machines do not wait, nor does what comes by itself. */
export function afterOthers(cluster: Cluster, graph: Graph, graphs: Graphs): Graph {
  const ends = (cluster.dependsOn ?? []).flatMap((name) => endsOf(graphs.get(name) ?? []));
  if (ends.length === 0) return graph;
  return graph.map((node) => (isOnNode(node) ? { ...node, after: [...node.after, ...ends] } : node));
}

const isOnNode = ({ stage, node, comesByItself }: GraphNode): boolean =>
  stage !== "machines" && node !== undefined && !comesByItself;

/** Steps that no other of the graph waits for: after them it is whole. */
function endsOf(graph: Graph): StepId[] {
  const awaited = new Set(graph.flatMap((node) => node.after));
  return graph.map((node) => node.id).filter((id) => !awaited.has(id));
}

/** Images serve several clusters: they wait for the last machine made from them. */
const isShared = ({ group }: GraphNode): boolean => group === "images";

/** What goes of a cluster goes after everything of those that depend on it or are managed by it. */
export function inReverse(graph: Graph, clusters: Cluster[]): Graph {
  const dependants = (name: string): string[] =>
    clusters
      .filter(
        ({ dependsOn = [], registerWith }) => dependsOn.includes(name) || registerWith?.cluster === name,
      )
      .map((cluster) => cluster.name);
  return graph.map((node) => {
    const before = isShared(node) ? [] : dependants(node.cluster);
    const steps = graph
      .filter((other) => before.includes(other.cluster) && !isShared(other))
      .map((other) => other.id);
    return steps.length === 0 ? node : { ...node, after: [...node.after, ...steps] };
  });
}
