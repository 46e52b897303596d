import type { Cluster, Fleet, Node } from "../../spec/index.ts";
import { nodeUnknown, whichNode } from "./errors.ts";

export interface ClusterNode {
  cluster: Cluster;
  node: Node;
}

/** `homelab/cp-1`, or `cp-1` where one cluster alone has such a node. */
export function findNode(fleet: Fleet, text: string): ClusterNode {
  const all = fleet.clusters.flatMap((cluster) => cluster.nodes.map((node) => ({ cluster, node })));
  const nameOf = ({ cluster, node }: ClusterNode): string => `${cluster.name}/${node.name}`;
  const found = all.filter((each) => text === nameOf(each) || text === each.node.name);
  const [only, ...others] = found;
  if (!only) throw nodeUnknown(text, all.map(nameOf));
  if (others.length > 0) throw whichNode(text, found.map(nameOf));
  return only;
}
