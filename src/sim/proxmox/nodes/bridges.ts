import type { Cluster } from "../cluster.ts";

/** Something a network card can be put on. */
export interface Plug {
  hasPort: boolean;
  isVlanAware: boolean;
}

/** The zone that rights on a bridge or vnet are looked up in; bridges are all in one. */
export const zoneOf = (cluster: Cluster, name: string): string =>
  cluster.file.sdn.vnets[name]?.zone ?? "localnetwork";

/** Vnets of the zones that reach a node. */
export const vnetsOn = (cluster: Cluster, node: string): string[] => {
  const { zones, vnets } = cluster.file.sdn;
  return Object.keys(vnets).filter((name) => {
    const zone = zones[vnets[name]?.zone ?? ""];
    return zone !== undefined && (zone.nodes?.includes(node) ?? true);
  });
};

/** A bridge of the node, or a vnet that reaches it. */
export function findPlug(cluster: Cluster, node: string, name: string): Plug | undefined {
  const bridge = cluster.file.nodes[node]?.bridges[name];
  if (bridge) return { hasPort: bridge.ports.length > 0, isVlanAware: bridge.isVlanAware };
  if (!vnetsOn(cluster, node).includes(name)) return undefined;
  const isVlanAware = cluster.file.sdn.vnets[name]?.isVlanAware ?? false;
  // A vnet that is not VLAN aware has its own tag and takes none of a guest.
  return { hasPort: isVlanAware, isVlanAware };
}
