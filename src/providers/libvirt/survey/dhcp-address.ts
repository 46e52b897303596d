import type { AddressSource, Domain, LibvirtClient } from "../../../clients/libvirt/index.ts";
import { SlipwayError } from "../../../errors/index.ts";
import type { GuestQuestion, FoundAddresses } from "../../../plan/index.ts";
import { machineName } from "../names.ts";

/**
 * Which addresses a machine has on its first card: what libvirt's own DHCP servers gave away, what the guest's agent says,
 * and whom the host has talked to, in this order.
 */
export async function findDhcpAddress(
  client: LibvirtClient,
  { cluster, node, mac }: GuestQuestion,
  signal?: AbortSignal,
): Promise<FoundAddresses[]> {
  const networks = await client.networks(signal);
  const leases = await Promise.all(
    networks.map(async (network) => ({
      by: `the leases of network "${network.name}"`,
      addresses: await orNone(client.leasedAddresses(network, mac, signal)),
    })),
  );
  const leased = leases.filter(({ addresses }) => addresses.length > 0);
  if (leased.length > 0) return leased;
  const name = machineName(cluster, node);
  const domain = (await client.domains(signal)).find((each) => each.name === name);
  if (!domain) return [];
  const ask = async (source: AddressSource, by: string): Promise<FoundAddresses> => ({
    by,
    addresses: await orNone(addressesOf(client, domain, mac, source, signal)),
  });
  return [
    await ask("agent", `the guest agent of ${name}`),
    await ask("neighbours", "the host's neighbour table"),
  ];
}

async function addressesOf(
  client: LibvirtClient,
  domain: Domain,
  mac: string,
  source: AddressSource,
  signal?: AbortSignal,
): Promise<string[]> {
  const nics = await client.guestNics(domain, source, signal);
  return nics.filter((nic) => nic.mac === mac).flatMap((nic) => nic.addresses);
}

/** A network that is not active has no leases, a machine that is off no agent: nothing is known there, that is all. */
const orNone = (asked: Promise<string[]>): Promise<string[]> =>
  asked.catch((thrown: unknown) => {
    if (thrown instanceof SlipwayError) return [];
    throw thrown;
  });
