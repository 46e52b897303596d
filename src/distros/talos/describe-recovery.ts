import type { Graph, GraphNode, Recovery, StepId } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { EtcdWant } from "./steps/etcd.ts";
import type { LostEtcdWant } from "./steps/recovery/lost-etcd.ts";

const lostStep = (cluster: string, node: string): StepId => `${cluster}/lost-etcd/${node}`;

/**
 * A graph in which etcd comes from a backup: what is left of the old one goes first, from every control plane that has it,
 * and only then does the first one get the snapshot.
 */
export function withRecovery(graph: Graph, cluster: Cluster, recovery: Recovery | undefined): Graph {
  if (!recovery) return graph;
  const lost = cluster.nodes
    .filter(({ name }) => recovery.holding.includes(name))
    .map(({ name, address, role }): GraphNode<LostEtcdWant> => ({
      id: lostStep(cluster.name, name),
      kind: "talos/lost-etcd",
      name: `the old etcd of ${name}`,
      title: `Wipe the old etcd of ${name}`,
      want: { cluster: cluster.name, node: name, address },
      after: [],
      group: "nodes",
      stage: "distro",
      cluster: cluster.name,
      node: name,
      role,
      usualMs: 60_000,
    }));
  const ids = lost.map(({ id }) => id);
  return [
    ...lost,
    ...graph.map((node) => {
      if (node.kind === "talos/config" && recovery.holding.includes(node.node ?? ""))
        return { ...node, after: [...node.after, ...ids] };
      return node.kind === "talos/etcd" ? fromBackup(node as GraphNode<EtcdWant>, recovery, ids) : node;
    }),
  ];
}

const fromBackup = (etcd: GraphNode<EtcdWant>, recovery: Recovery, lost: StepId[]): GraphNode<EtcdWant> => ({
  ...etcd,
  title: "Restore etcd from the backup",
  want: { ...etcd.want, recovery },
  after: [...etcd.after, ...lost],
});
