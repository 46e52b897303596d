import { allAt } from "../../../lib/index.ts";
import { currentXml, type SimHost } from "../host.ts";
import { agentSilent } from "../refusal.ts";
import type { SimDomain } from "../state.ts";
import { attributeAt } from "../xml.ts";
import { demandMac } from "./hardware.ts";

const sources = { lease: 0, agent: 1, neighbours: 2 } as const;

interface NicAddresses {
  name: string;
  mac: string | undefined;
  addresses: { family: number; address: string; prefix: number }[];
}

/** What is known of a guest's addresses, by whom it is asked of. */
export function addressesOf(host: SimHost, domain: SimDomain, source: number): NicAddresses[] {
  const told = host.guests.get(domain.uuid)?.agentAddresses;
  if (source === sources.agent) {
    if (!told) throw agentSilent("qemu", "QEMU guest agent is not connected");
    return told().map(({ name, mac, addresses }) => ({ name, mac, addresses: addresses.map(asAddress) }));
  }
  return allAt(currentXml(domain), "devices", "interface").flatMap((nic): NicAddresses[] => {
    const mac = demandMac(nic);
    const given = host.state.given[mac.toLowerCase()];
    // Of leases libvirt knows only its own; whom the host has met it knows in any case.
    const isKnown = source === sources.neighbours || given?.network !== undefined;
    const name = attributeAt(nic, ["target"], "dev") ?? "";
    return given && isKnown ? [{ name, mac, addresses: [asAddress(given.cidr)] }] : [];
  });
}

const asAddress = (cidr: string) => {
  const [address = "", prefix = "32"] = cidr.split("/");
  return { family: 0, address, prefix: Number(prefix) };
};
