import type { DatacenterNetwork } from "../../datacenter-file.ts";
import type { GuestHardware } from "../../guest.ts";
import type { Cluster } from "../cluster.ts";

type Lease = GuestHardware["nics"][number]["lease"];

/** What the DHCP server of a card's network answers it: the reservation, else the next free address of the range. */
export function leaseFor(
  cluster: Cluster,
  nic: { mac: string; bridge: string; vlan?: number | undefined },
): Lease {
  const name = nic.vlan === undefined ? nic.bridge : `${nic.bridge}.${nic.vlan}`;
  const network = cluster.file.networks[name];
  if (network?.dhcp === undefined) return undefined;
  const mac = nic.mac.toLowerCase();
  const reserved = network.dhcp.reservations[mac];
  const address = reserved?.address ?? leasedAddress(cluster, name, network, mac);
  if (address === undefined) return undefined;
  return {
    cidr: `${address}/${network.cidr.split("/")[1]}`,
    hostname: reserved?.hostname,
  };
}

/** Once given, an address is kept for its card. */
function leasedAddress(
  cluster: Cluster,
  name: string,
  network: DatacenterNetwork,
  mac: string,
): string | undefined {
  const leases = ((cluster.state.leases ??= {})[name] ??= {});
  if (leases[mac] !== undefined) return leases[mac];
  const [first, last] = network.dhcp?.range ?? [];
  if (first === undefined || last === undefined) return undefined;
  const reserved = Object.values(network.dhcp?.reservations ?? {}).map(({ address }) => address);
  const taken = new Set([...Object.values(leases), ...reserved]);
  for (let at = toNumber(first); at <= toNumber(last); at += 1) {
    const address = toAddress(at);
    if (taken.has(address)) continue;
    leases[mac] = address;
    cluster.changed();
    return address;
  }
  return undefined;
}

const toNumber = (address: string): number =>
  address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);

const toAddress = (number: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(number / 2 ** shift) % 256).join(".");
