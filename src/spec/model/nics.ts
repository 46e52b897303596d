import { given } from "../../lib/index.ts";
import type { Cluster, Node } from "./cluster.ts";
import type { NicPort } from "./network.ts";

/** A card of a machine, and what its guest learns about it before it has a config of its own. */
export interface MachineNic extends NicPort {
  mtu?: number | undefined;
  /** With prefix length, or `dhcp`. Absent for the first card, which has the node's own address, and for cards without one. */
  address?: string | undefined;
}

/** Every card of a node in the order the machine has them; the first carries the node's address. */
export function nicsOf(cluster: Pick<Cluster, "network">, node: Node): MachineNic[] {
  const { bridge, vlan, trunks, isFirewalled, mtu } = cluster.network;
  const first: MachineNic = given({ mac: node.mac, bridge, vlan, trunks, isFirewalled, mtu });
  const others = (node.nics ?? []).flatMap((nic): MachineNic[] => {
    const plug = (port: NicPort): MachineNic =>
      given({
        mac: port.mac,
        bridge: port.bridge,
        vlan: port.vlan,
        trunks: port.trunks,
        isFirewalled: port.isFirewalled,
        mtu: nic.mtu,
      });
    // The address of joined cards belongs to none of them.
    if (nic.bond) return [nic, ...nic.bond.with].map(plug);
    const address = nic.isDhcp ? "dhcp" : nic.address;
    return [{ ...plug(nic), ...given({ address }) }];
  });
  return [first, ...others];
}

/** The bridges a cluster needs on its hosts. */
export const bridgesOf = (cluster: Cluster): string[] => [
  ...new Set([
    cluster.network.bridge,
    ...cluster.nodes.flatMap((node) => nicsOf(cluster, node).map((port) => port.bridge)),
  ]),
];

const modes = { nat: "NAT network", isolated: "isolated network", routed: "routed network" };

/** What the nodes' first NICs are plugged into: `vmbr0`, `NAT network lab`. */
export function plugText({ bridge, libvirt }: Cluster["network"]): string {
  if (!libvirt) return bridge;
  if (libvirt.kind === "macvtap") return `macvtap on ${libvirt.device}`;
  return libvirt.kind === "create" ? `${modes[libvirt.mode]} ${libvirt.name}` : `network ${libvirt.name}`;
}
