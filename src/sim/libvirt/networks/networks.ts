import { allAt, firstAt, textAt, type XmlElement } from "../../../lib/index.ts";
import { addressNumber, leaseIn, networkOfWire, type Lease } from "../../dhcp.ts";
import { newMac, newUuid, type SimHost } from "../host.ts";
import { badXml, internalError, noNetwork, operationFailed, operationInvalid } from "../refusal.ts";
import type { SimNetworkDefinition } from "../state.ts";
import { attributeAt, changed, demandTextAt, demandXml, made, withChild, withChildren } from "../xml.ts";

export function defineNetwork(host: SimHost, text: string): SimNetworkDefinition {
  const written = demandXml(text, "network");
  const name = demandTextAt(written, "name");
  const all = Object.values(host.state.networks);
  const namesake = all.find((network) => network.name === name);
  const uuid = textAt(written, "uuid")?.toLowerCase() ?? namesake?.uuid ?? newUuid(host.random);
  if (namesake && namesake.uuid !== uuid)
    throw operationFailed("network", `network '${name}' already exists with uuid ${namesake.uuid}`);
  const known = host.state.networks[uuid];
  const named = withChild(written, made("uuid", {}, uuid), ["name"]);
  const network: SimNetworkDefinition = {
    isActive: false,
    startsWithHost: false,
    ...known,
    uuid,
    name,
    xml: modeOf(named) === "bridge" ? named : withBridge(host, named, known),
  };
  host.state.networks[uuid] = network;
  host.changed();
  return network;
}

const modeOf = (network: XmlElement): string => {
  const forward = firstAt(network, "forward");
  return forward ? (forward.attributes["mode"] ?? "nat") : "isolated";
};

/** libvirt makes a bridge of its own for a network, and names it when nobody has. */
function withBridge(host: SimHost, network: XmlElement, known: SimNetworkDefinition | undefined): XmlElement {
  const written = firstAt(network, "bridge") ?? made("bridge", { stp: "on", delay: 0 });
  const name = written.attributes["name"] ?? bridgeOf(known?.xml) ?? freeBridge(host);
  const bridge = made("bridge", {
    name,
    stp: written.attributes["stp"] ?? "on",
    delay: written.attributes["delay"] ?? 0,
  });
  const mac = firstAt(network, "mac") ?? made("mac", { address: macOf(known) ?? newMac(host.random) });
  const bridged = withChild(network, bridge, ["name", "uuid", "metadata", "forward"]);
  return withChild(bridged, mac, ["bridge", "mtu"]);
}

const macOf = (known: SimNetworkDefinition | undefined): string | undefined =>
  attributeAt(known?.xml, ["mac"], "address");

export const bridgeOf = (network: XmlElement | undefined): string | undefined =>
  attributeAt(network, ["bridge"], "name");

function freeBridge(host: SimHost): string {
  const taken = new Set(Object.values(host.state.networks).map(({ xml }) => bridgeOf(xml)));
  for (let number = 0; ; number += 1) if (!taken.has(`virbr${number}`)) return `virbr${number}`;
}

export function findNetwork(
  host: SimHost,
  { uuid, name }: { uuid: string; name: string },
): SimNetworkDefinition {
  const found = host.state.networks[uuid];
  if (!found) throw noNetwork("network", `no network with matching uuid '${uuid}' (${name})`);
  return found;
}

export function networkNamed(host: SimHost, name: string): SimNetworkDefinition {
  const found = Object.values(host.state.networks).find((network) => network.name === name);
  if (!found) throw noNetwork("network", `no network with matching name '${name}'`);
  return found;
}

export function startNetwork(host: SimHost, network: SimNetworkDefinition): void {
  if (network.isActive) throw operationInvalid("network", "network is already active");
  const own = subnetOf(network.xml);
  const others = Object.values(host.state.networks).filter((each) => each.isActive && each !== network);
  const other = own && others.find(({ xml }) => overlaps(own, subnetOf(xml)));
  if (other)
    throw internalError(
      "network",
      `Network is already in use by interface ${bridgeOf(other.xml) ?? other.name}`,
    );
  network.isActive = true;
  host.changed();
}

export function stopNetwork(host: SimHost, network: SimNetworkDefinition): void {
  demandActiveNetwork(network);
  network.isActive = false;
  host.changed();
}

export function demandActiveNetwork(network: SimNetworkDefinition): void {
  if (!network.isActive) throw operationInvalid("network", `network '${network.name}' is not active`);
}

interface Subnet {
  first: number;
  last: number;
  prefix: number;
}

const ipOf = (network: XmlElement): XmlElement | undefined =>
  allAt(network, "ip").find(({ attributes }) => (attributes["family"] ?? "ipv4") === "ipv4");

function subnetOf(network: XmlElement): Subnet | undefined {
  const { address, prefix, netmask = "255.255.255.0" } = ipOf(network)?.attributes ?? {};
  if (address === undefined) return undefined;
  const bits = prefix === undefined ? 32 - Math.log2(2 ** 32 - addressNumber(netmask)) : Number(prefix);
  const first = Math.floor(addressNumber(address) / 2 ** (32 - bits)) * 2 ** (32 - bits);
  return { first, last: first + 2 ** (32 - bits) - 1, prefix: bits };
}

const overlaps = (one: Subnet, other: Subnet | undefined): boolean =>
  other !== undefined && one.first <= other.last && other.first <= one.last;

const commands = { modify: 1, remove: 2, addLast: 3, addFirst: 4 } as const;

/** Changes the addresses that DHCP keeps for cards; no other part of a network is changed while it is there. */
export function updateReservations(
  host: SimHost,
  network: SimNetworkDefinition,
  command: number,
  text: string,
): void {
  const entry = demandXml(text, "host");
  const { mac = "", ip = "", name } = entry.attributes;
  const isSame = ({ attributes }: XmlElement): boolean =>
    (attributes["mac"] ?? "").toLowerCase() === mac.toLowerCase();
  const before = allAt(ipOf(network.xml), "dhcp", "host");
  const found = before.find(isSame);
  const isAdded = command === commands.addLast || command === commands.addFirst;
  if (
    isAdded &&
    before.some(
      (each) =>
        isSame(each) ||
        each.attributes["ip"] === ip ||
        (name !== undefined && each.attributes["name"] === name),
    )
  )
    throw operationInvalid(
      "network",
      `there is an existing dhcp host entry in network '${network.name}' that matches "<host mac='${mac}' name='${name ?? ""}' ip='${ip}'/>"`,
    );
  if (!isAdded && !found)
    throw operationInvalid(
      "network",
      `couldn't locate a matching dhcp host entry in network '${network.name}'`,
    );
  const after = isAdded
    ? command === commands.addFirst
      ? [entry, ...before]
      : [...before, entry]
    : before.flatMap((each) => (each !== found ? [each] : command === commands.modify ? [entry] : []));
  network.xml = changed(network.xml, "ip", (ip_) => withReservations(ip_, after));
  host.changed();
}

function withReservations(ip: XmlElement, hosts: XmlElement[]): XmlElement {
  const dhcp = firstAt(ip, "dhcp") ?? made("dhcp");
  const others = dhcp.children.filter(({ name }) => name !== "host");
  return withChild(ip, withChildren(dhcp, [...others, ...hosts]));
}

/** What a card is plugged into. */
export interface Plug {
  kind: "network" | "bridge" | "direct";
  source: string;
  vlan?: number | undefined;
}

const leaseSeconds = 3600;

/** A card asks for an address: what it gets is remembered. */
export function giveLease(host: SimHost, mac: string, plug: Plug): Lease | undefined {
  const lease = leaseFor(host, mac, plug);
  if (!lease) return undefined;
  const network = plug.kind === "network" ? plug.source : undefined;
  const expiry = Math.floor(host.clock.now() / 1000) + leaseSeconds;
  host.state.given[mac.toLowerCase()] = { ...lease, network, expiry };
  return lease;
}

/** What the DHCP server behind a plug gives to a card: libvirt's own, or that of the wire. */
function leaseFor(host: SimHost, mac: string, plug: Plug): Lease | undefined {
  if (plug.kind !== "network") return wireLease(host, mac, plug.source, plug.vlan);
  const network = networkNamed(host, plug.source);
  if (modeOf(network.xml) === "bridge") return wireLease(host, mac, bridgeOf(network.xml) ?? "", plug.vlan);
  const subnet = subnetOf(network.xml);
  const dhcp = firstAt(ipOf(network.xml), "dhcp");
  if (!subnet || !dhcp) return undefined;
  const { start, end } = firstAt(dhcp, "range")?.attributes ?? {};
  const reservations = allAt(dhcp, "host").map(({ attributes }) => {
    const { mac: of = "", ip = "", name } = attributes;
    return [of.toLowerCase(), { address: ip, hostname: name }] as const;
  });
  return leaseIn(
    {
      prefix: subnet.prefix,
      range: start === undefined || end === undefined ? undefined : [start, end],
      reservations: Object.fromEntries(reservations),
    },
    leasesOf(host, network.name),
    mac,
  );
}

const wireLease = (
  host: SimHost,
  mac: string,
  bridge: string,
  vlan: number | undefined,
): Lease | undefined => {
  const found = networkOfWire(host.wires, bridge, vlan);
  return found && leaseIn(found.server, leasesOf(host, found.name), mac);
};

const leasesOf = (host: SimHost, name: string): Record<string, string> => (host.state.leases[name] ??= {});

export function plugOf(nic: XmlElement): Plug {
  const kind = nic.attributes["type"];
  if (kind !== "network" && kind !== "bridge" && kind !== "direct")
    throw badXml("domain", `unknown interface type '${kind ?? ""}'`);
  const source = attributeAt(nic, ["source"], kind === "direct" ? "dev" : kind) ?? "";
  const tag = attributeAt(nic, ["vlan", "tag"], "id");
  return { kind, source, vlan: tag === undefined ? undefined : Number(tag) };
}
