import type { Cluster, Node } from "./model.ts";
import type { Card } from "./network-model.ts";

/** A card of a machine, and what its guest learns about it before it has a config of its own. */
export interface MachineCard extends Card {
  mtu?: number;
  /** With prefix length, or `dhcp`. Absent for the first card, which has the node's own address, and for cards without one. */
  address?: string;
}

/** Every card of a node in the order the machine has them; the first carries the node's address. */
export function cardsOf(cluster: Pick<Cluster, "network">, node: Node): MachineCard[] {
  const { bridge, vlan, mtu } = cluster.network;
  const first: MachineCard = {
    mac: node.mac,
    bridge,
    ...(vlan !== undefined && { vlan }),
    ...(mtu !== undefined && { mtu }),
  };
  const others = (node.nics ?? []).flatMap((nic): MachineCard[] => {
    const own = nic.mtu === undefined ? {} : { mtu: nic.mtu };
    const plug = ({ mac, bridge: to, vlan: tag }: Card): MachineCard => ({
      mac,
      bridge: to,
      ...(tag !== undefined && { vlan: tag }),
      ...own,
    });
    // The address of joined cards belongs to none of them.
    if (nic.bond) return [nic, ...nic.bond.with].map(plug);
    const address = nic.isDhcp ? "dhcp" : nic.address;
    return [{ ...plug(nic), ...(address !== undefined && { address }) }];
  });
  return [first, ...others];
}

/** The bridges a cluster needs on its hosts. */
export const bridgesOf = (cluster: Cluster): string[] => [
  ...new Set([
    cluster.network.bridge,
    ...cluster.nodes.flatMap((node) => cardsOf(cluster, node).map((card) => card.bridge)),
  ]),
];
