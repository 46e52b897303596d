import { allAt, element, firstAt, writeXml, type XmlElement, type XmlPiece } from "../../../lib/index.ts";
import { networkMark, readNetworkMark, type NetworkMark } from "../mark.ts";
import { demandText, readDocument } from "../read-document.ts";

interface Named {
  name: string;
  uuid: string;
  mark: NetworkMark;
  mtu?: number | undefined;
}

/** `nat` and `routed` reach the outside, `isolated` only the host; `bridge` names a bridge that the host already has. */
export type NetworkXml = Named &
  (
    | { mode: "bridge"; bridge: string }
    | {
        mode: "nat" | "isolated" | "routed";
        /** The interface that libvirt makes for it; at most 15 characters. Absent: libvirt names it. */
        bridge?: string;
        /** Names of its machines end with it. */
        domain?: string;
        /** The host's own address in it. */
        address: { address: string; prefix: number };
        dhcp?: { start: string; end: string };
        reservations?: Reservation[];
      }
  );

/** An address that DHCP keeps for a card. */
export interface Reservation {
  mac: string;
  address: string;
  name?: string | undefined;
}

/** A network as libvirt tells it. */
export interface FoundNetwork {
  name: string;
  uuid: string;
  /** Absent: it is not ours. */
  mark?: NetworkMark | undefined;
  /** `nat`, `isolated`, `routed`, `bridge`, or as libvirt says. */
  mode: string;
  bridge?: string | undefined;
  mtu?: number | undefined;
  domain?: string | undefined;
  address?: { address: string; prefix: number } | undefined;
  dhcp?: { start: string; end: string } | undefined;
  reservations: Reservation[];
}

const modes: Record<string, NetworkXml["mode"]> = { nat: "nat", route: "routed", bridge: "bridge" };

export const networkXml = (network: NetworkXml): string =>
  writeXml(
    element("network", {}, [
      element("name", {}, network.name),
      element("uuid", {}, network.uuid),
      element("metadata", {}, [networkMark(network.mark)]),
      forwardPiece(network.mode),
      bridgePiece(network),
      network.mtu !== undefined && element("mtu", { size: network.mtu }),
      ...(network.mode === "bridge" ? [] : insidePieces(network)),
    ]),
  );

function forwardPiece(mode: NetworkXml["mode"]): XmlPiece | undefined {
  if (mode === "isolated") return undefined;
  const ports = element("nat", {}, [element("port", { start: 1024, end: 65535 })]);
  return element("forward", { mode: mode === "routed" ? "route" : mode }, mode === "nat" ? [ports] : []);
}

const bridgePiece = (network: NetworkXml): XmlPiece =>
  network.mode === "bridge"
    ? element("bridge", { name: network.bridge })
    : element("bridge", { name: network.bridge, stp: "on", delay: 0 });

const insidePieces = (network: Exclude<NetworkXml, { mode: "bridge" }>): XmlPiece[] => {
  const { domain, address, dhcp, reservations = [] } = network;
  const leases = [
    ...(dhcp ? [element("range", { start: dhcp.start, end: dhcp.end })] : []),
    ...reservations.map(reservationPiece),
  ];
  return [
    ...(domain === undefined ? [] : [element("domain", { name: domain, localOnly: "yes" })]),
    element("ip", { address: address.address, prefix: address.prefix }, [
      leases.length > 0 && element("dhcp", {}, leases),
    ]),
  ];
};

const reservationPiece = ({ mac, name, address }: Reservation): XmlPiece =>
  element("host", { mac: mac.toLowerCase(), name, ip: address });

/** What adds, changes or removes one reservation of a network that is there. */
export const reservationXml = (reservation: Reservation): string => writeXml(reservationPiece(reservation));

export function readNetwork(xml: string): FoundNetwork {
  const network = readDocument(xml, "network");
  const forward = firstAt(network, "forward");
  const mode = forward?.attributes["mode"] ?? "nat";
  // libvirt lists other families beside it, in any order.
  const ip = allAt(network, "ip").find(({ attributes }) => (attributes["family"] ?? "ipv4") === "ipv4");
  const [mark, address] = [readNetworkMark(network), readAddress(ip)];
  const bridge = firstAt(network, "bridge")?.attributes["name"];
  const mtu = firstAt(network, "mtu")?.attributes["size"];
  const domain = firstAt(network, "domain")?.attributes["name"];
  const { start, end } = firstAt(ip, "dhcp", "range")?.attributes ?? {};
  return {
    name: demandText(network, "name"),
    uuid: demandText(network, "uuid"),
    mark,
    mode: forward ? (modes[mode] ?? mode) : "isolated",
    bridge,
    mtu: mtu === undefined ? undefined : Number(mtu),
    domain,
    address,
    dhcp: start === undefined || end === undefined ? undefined : { start, end },
    reservations: allAt(ip, "dhcp", "host").flatMap((host) => readReservation(host) ?? []),
  };
}

function readReservation({ attributes }: XmlElement): Reservation | undefined {
  const { mac, ip, name } = attributes;
  if (mac === undefined || ip === undefined) return undefined;
  return { mac: mac.toLowerCase(), address: ip, name };
}

function readAddress(ip: XmlElement | undefined): FoundNetwork["address"] {
  const { address, prefix, netmask } = ip?.attributes ?? {};
  if (address === undefined) return undefined;
  return { address, prefix: prefix === undefined ? prefixOf(netmask ?? "255.255.255.255") : Number(prefix) };
}

/** 255.255.255.0 is 24. */
const prefixOf = (netmask: string): number =>
  netmask
    .split(".")
    .map((part) => Number(part).toString(2).replaceAll("0", "").length)
    .reduce((sum, ones) => sum + ones, 0);
