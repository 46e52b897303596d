import { nodeNameOf, type Cluster, type Node } from "../../spec/index.ts";
import type { PlacedNode } from "../contract/provider.ts";

const zoneLabel = "topology.kubernetes.io/zone";
const regionLabel = "topology.kubernetes.io/region";

/**
 * The cluster with every node labelled by where its machine is, so that Kubernetes can spread over hosts and storage
 * drivers find disks. What the file says itself wins.
 */
export function withTopology(cluster: Cluster, placed: PlacedNode[]): Cluster {
  const places = new Map(placed.map((each) => [each.node.name, each]));
  const labelled = (node: Node): Node => {
    const place = places.get(node.name);
    return place ? { ...node, labels: { ...topologyOf(place), ...node.labels } } : node;
  };
  return { ...cluster, nodes: cluster.nodes.map(labelled) };
}

const topologyOf = ({ host, on }: PlacedNode): Record<string, string> => ({
  [zoneLabel]: on ?? nodeNameOf(host),
  ...(host.region !== undefined && { [regionLabel]: host.region }),
});
