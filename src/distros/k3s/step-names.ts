import type { GraphNode, StepId } from "../../plan/index.ts";
import type { K3sCluster, Node } from "../../spec/index.ts";
import type { K3sRole } from "./files/unit-file.ts";

export const apiStep = (cluster: string): StepId => `${cluster}/cluster/api`;
export const nodeStep = (cluster: string, node: string): StepId => `${cluster}/node/${node}`;
export const artifactsStep = (cluster: string, node: string): StepId => `${cluster}/artifacts/${node}`;

export const roleOf = ({ role }: Pick<Node, "role">): K3sRole =>
  role === "control-plane" ? "server" : "agent";
export const serversOf = ({ nodes }: K3sCluster): Node[] =>
  nodes.filter(({ role }) => role === "control-plane");

/** What steps of a cluster have in common. */
export const ofCluster = (
  { name }: K3sCluster,
  what: string,
  stage: GraphNode["stage"],
): Pick<GraphNode, "id" | "group" | "stage" | "cluster"> => ({
  id: `${name}/cluster/${what}`,
  group: "cluster",
  stage,
  cluster: name,
});

/** What steps of a node have in common. */
export const ofNode = (
  { name }: K3sCluster,
  node: Node,
  id: StepId,
): Pick<GraphNode, "id" | "group" | "stage" | "cluster" | "node" | "role"> => ({
  id,
  group: "nodes",
  stage: "distro",
  cluster: name,
  node: node.name,
  role: node.role,
});
