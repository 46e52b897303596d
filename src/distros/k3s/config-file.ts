import type { K3sCluster, Node } from "../../spec/index.ts";

/** What nodes join with, whole. */
export interface JoinTokens {
  token: string;
  agentToken: string;
}

/** config.yaml of a node: all that stays the same whether it founds, joins or comes back. */
export function configFile(cluster: K3sCluster, node: Node, secrets: JoinTokens): string {
  return `${cluster.name}${node.name}${secrets.token}`;
}
