import { given } from "./given.ts";
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
  const { bridge, vlan, trunks, isFirewalled, mtu } = cluster.network;
  const first: MachineCard = given({ mac: node.mac, bridge, vlan, trunks, isFirewalled, mtu });
  const others = (node.nics ?? []).flatMap((nic): MachineCard[] => {
    const plug = (card: Card): MachineCard =>
      given({
        mac: card.mac,
        bridge: card.bridge,
        vlan: card.vlan,
        trunks: card.trunks,
        isFirewalled: card.isFirewalled,
        mtu: nic.mtu,
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
