import type { DatacenterNetwork } from "./datacenter-network.ts";
import type { GuestHardware } from "./guest.ts";

export type Lease = NonNullable<GuestHardware["nics"][number]["lease"]>;

/** A DHCP server: what it has to give. */
export interface DhcpServer {
  prefix: number;
  /** First and last address for cards without a reservation. */
  range?: readonly [string, string] | undefined;
  /** By MAC, in small letters. */
  reservations: Record<string, { address: string; hostname?: string | undefined }>;
}

/** The server on a bridge, or on a VLAN of it. */
export function networkOfWire(
  networks: Record<string, DatacenterNetwork>,
  bridge: string,
  vlan: number | undefined,
): { name: string; server: DhcpServer } | undefined {
  const name = vlan === undefined ? bridge : `${bridge}.${vlan}`;
  const network = networks[name];
  if (network?.dhcp === undefined) return undefined;
  const { range, reservations } = network.dhcp;
  return { name, server: { prefix: Number(network.cidr.split("/")[1]), range, reservations } };
}

/**
 * What a server answers a card: the reservation, else the next free address of the range. Once given, an address is kept
 * for its card in `leases`; `gave` is told of each new one.
 */
export function leaseIn(
  server: DhcpServer,
  leases: Record<string, string>,
  card: string,
  gave: () => void = () => undefined,
): Lease | undefined {
  const mac = card.toLowerCase();
  const reserved = server.reservations[mac];
  const address = reserved?.address ?? leases[mac] ?? nextFree(server, leases);
  if (address === undefined) return undefined;
  if (!reserved && leases[mac] === undefined) {
    leases[mac] = address;
    gave();
  }
  return { cidr: `${address}/${server.prefix}`, hostname: reserved?.hostname };
}

function nextFree({ range, reservations }: DhcpServer, leases: Record<string, string>): string | undefined {
  if (!range) return undefined;
  const reserved = Object.values(reservations).map(({ address }) => address);
  const taken = new Set([...Object.values(leases), ...reserved]);
  for (let at = addressNumber(range[0]); at <= addressNumber(range[1]); at += 1)
    if (!taken.has(addressText(at))) return addressText(at);
  return undefined;
}

export const addressNumber = (address: string): number =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const addressText = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
