import type { Node } from "./cluster.ts";

/** What the file writes in place of an address. */
export const fromDhcp = "dhcp";

/**
 * Stands for an address that only a DHCP server knows. Connections to it are led to what the machine has been given, and
 * the node's certificate carries it, so that no other machine can pass for it under the same address.
 */
export const dhcpName = (cluster: string, node: string): string => `${node}.${cluster}.dhcp`;

/** Whether the file says the address of a node; otherwise it is found when the machine has it. */
export const hasKnownAddress = ({ address }: Pick<Node, "address">): boolean => !address.endsWith(".dhcp");

/** Whether its MAC address is known beforehand: Slipway gives one to machines it makes, the file may know it of others. */
export const hasKnownMac = ({ machine }: Pick<Node, "machine">): boolean =>
  machine === undefined || machine.mac !== undefined;
