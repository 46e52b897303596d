import type { GraphNode, Stage } from "../../plan/index.ts";
import { stages } from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import { unknownCluster, unknownNode } from "./errors.ts";

/** Which part of the fleet a command is about: everything, one cluster, or one node of it. */
export interface Selection {
  cluster?: string;
  node?: string | undefined;
}

/** `homelab` or `homelab/worker-2`, as `--only` takes it. */
export function parseSelection(text: string | undefined): Selection {
  if (text === undefined) return {};
  const [cluster = "", node] = text.split("/", 2);
  return { cluster, node };
}

export function selectClusters(fleet: Fleet, selection: Selection): Cluster[] {
  const { cluster: name, node } = selection;
  if (name === undefined) return fleet.clusters;
  const cluster = fleet.clusters.find((known) => known.name === name);
  if (!cluster)
    throw unknownCluster(
      name,
      fleet.clusters.map((known) => known.name),
    );
  if (node !== undefined && !cluster.nodes.some((known) => known.name === node)) {
    throw unknownNode(
      name,
      node,
      cluster.nodes.map((known) => known.name),
    );
  }
  return [cluster];
}

/**
 * Keeps the part of a graph a command is about. What serves several nodes stays when one of them is meant, but for add-ons,
 * which only the pods' network is needed of.
 */
export function withinRequest(node: GraphNode, selection: Selection, until: Stage): boolean {
  if (stages.indexOf(node.stage) > stages.indexOf(until)) return false;
  if (selection.node === undefined) return true;
  return node.node === undefined ? node.stage !== "addons" : node.node === selection.node;
}
