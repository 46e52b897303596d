import type { Graph, GraphNode, MachineSteps, StepId } from "../../plan/index.ts";
import type { K3sCluster } from "../../spec/index.ts";
import { guestOf } from "../linux-hosts/index.ts";
import type { LostDatabaseWant } from "./steps/recovery/lost-database.ts";
import type { MembershipWant } from "./steps/members/membership.ts";
import type { NodeWant } from "./steps/node/node-want.ts";
import { ofNode, roleOf, serversOf } from "./step-names.ts";

const lostStep = (cluster: string, node: string): StepId => `${cluster}/lost-database/${node}`;

/**
 * A graph in which the database comes from a backup: K3s stops on all nodes that are there, then the first server gets it,
 * and the others join it as new ones do.
 */
export function withRecovery(graph: Graph, cluster: K3sCluster, { recovery, existing }: MachineSteps): Graph {
  if (!recovery) return graph;
  const [first] = serversOf(cluster);
  const isStopped = ({ name, role }: K3sCluster["nodes"][number]): boolean =>
    role === "control-plane" ? recovery.holding.includes(name) : existing.includes(name);
  const lost = cluster.nodes.filter(isStopped).map((node): GraphNode<LostDatabaseWant> => ({
    ...ofNode(cluster, node, lostStep(cluster.name, node.name)),
    kind: "k3s/lost-database",
    name: `K3s on ${node.name}`,
    title:
      node.role === "control-plane" && node !== first
        ? `Stop K3s on ${node.name} and put its database aside`
        : `Stop K3s on ${node.name}`,
    want: {
      ...guestOf(cluster, node),
      role: roleOf(node),
      isFirst: node === first ? true : undefined,
    },
    after: [],
    usualMs: 10_000,
  }));
  const ids = lost.map(({ id }) => id);
  return [
    ...lost,
    ...graph.map((node) => {
      // A reset is refused while a server is named, so the first one says again that it founds.
      if (node.kind === "k3s/membership")
        return { ...node, want: { ...(node.want as MembershipWant), isReset: true } };
      const isTouched = node.node === first?.name || lost.some((each) => each.node === node.node);
      if (node.kind !== "k3s/node" || !isTouched) return node;
      const want = { ...(node.want as NodeWant), recovery };
      return { ...node, want, after: [...node.after, ...ids] };
    }),
  ];
}
