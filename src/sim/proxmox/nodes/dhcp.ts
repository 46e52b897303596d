import { leaseIn, networkOfWire, type Lease } from "../../dhcp.ts";
import type { Cluster } from "../cluster.ts";

/** What the DHCP server of a card's network answers it. */
export function leaseFor(
  cluster: Cluster,
  nic: { mac: string; bridge: string; vlan?: number | undefined },
): Lease | undefined {
  const found = networkOfWire(cluster.file.networks, nic.bridge, nic.vlan);
  if (!found) return undefined;
  const leases = ((cluster.state.leases ??= {})[found.name] ??= {});
  return leaseIn(found.server, leases, nic.mac, () => cluster.changed());
}
