import type { Graph, GraphNode, StepId } from "../plan/index.ts";
import type { Cluster } from "../spec/index.ts";

/** The graph of each cluster, by its name. */
export type Graphs = ReadonlyMap<string, Graph>;

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
