import { parse } from "yaml";
import {
  addressSpec,
  dhcpOperator,
  physicalLink,
  routeSpecs,
  withPrefix,
  type LinkSpec,
  type PlatformNetwork,
} from "./platform-network.ts";

/** The machine that reads the config: its NICs, and what is known of it otherwise. */
export interface NocloudMachine {
  /** Each with the address it was made with, or else the one it has. */
  links: { name: string; mac: string }[];
  hostname?: string;
  instanceId?: string;
  internalDns?: string;
}

/** The network a Talos node makes of a network-config, version 1 or 2, plain or under `network`. */
export function readNocloudNetwork(text: string, machine: NocloudMachine): PlatformNetwork {
  const written = (parse(text) ?? {}) as { network?: NetworkConfig } & NetworkConfig;
  const config = written.network ?? written;
  const network = emptyNetwork(machine);
  const servers =
    config.version === 1 ? readVersion1(config, machine, network) : readVersion2(config, machine, network);
  if (servers.length > 0)
    network.resolvers.push({
      dnsServers: servers,
      nameServers: servers.map((addr) => ({ addr, protocol: "Do53", tlsServerName: "" })),
      layer: "platform",
    });
  return network;
}

interface NetworkConfig {
  version?: number;
  config?: Entry1[];
  ethernets?: Record<string, Device2>;
  bonds?: Record<string, Device2 & { interfaces?: string[]; parameters?: BondParameters }>;
  vlans?: Record<string, Device2 & { id: number; link: string }>;
}

interface Entry1 {
  type: string;
  name: string;
  mac_address?: string;
  mtu?: number;
  subnets?: { type: string; address?: string; netmask?: string; gateway?: string }[];
  address?: string | string[];
  bond_interfaces?: string[];
  params?: BondParameters;
  vlan_link?: string;
  vlan_id?: number;
}

interface Device2 {
  match?: { macaddress?: string };
  dhcp4?: boolean;
  dhcp6?: boolean;
  addresses?: string[];
  gateway4?: string;
  gateway6?: string;
  mtu?: number;
  nameservers?: { addresses?: string[] };
  routes?: { to?: string; via: string; metric?: number; "on-link"?: boolean }[];
}

type BondParameters = Record<string, string | number>;

function emptyNetwork({ hostname, instanceId, internalDns }: NocloudMachine): PlatformNetwork {
  const [name, ...domain] = (hostname ?? "").split(".");
  return {
    addresses: [],
    links: [],
    routes: [],
    hostnames: name ? [{ hostname: name, domainname: domain.join("."), layer: "platform" }] : [],
    resolvers: [],
    timeServers: [],
    operators: [],
    externalIPs: [],
    metadata: {
      platform: "nocloud",
      hostname,
      instanceId,
      internalDNS: internalDns,
    },
  };
}

/** The name of the NIC with that MAC; a name that no NIC answers for is taken as it is. */
const linkName = (machine: NocloudMachine, mac: string | undefined, name: string): string =>
  machine.links.find((link) => link.mac.toLowerCase() === mac?.toLowerCase())?.name ?? name;

function readVersion1(config: NetworkConfig, machine: NocloudMachine, network: PlatformNetwork): string[] {
  const servers: string[] = [];
  const entries = config.config ?? [];
  const members = new Set(entries.flatMap((entry) => entry.bond_interfaces ?? []));
  const nameOf = (name: string): string =>
    linkName(machine, entries.find((entry) => entry.name === name)?.mac_address, name);
  for (const entry of entries) {
    if (entry.type === "nameserver") servers.push(...[entry.address ?? []].flat());
    else if (entry.type === "physical" && !members.has(entry.name))
      network.links.push(physicalLink(nameOf(entry.name), entry.mtu));
    else if (entry.type === "bond")
      network.links.push(
        ...bondLinks(entry.name, (entry.bond_interfaces ?? []).map(nameOf), entry.params, entry.mtu),
      );
    else if (entry.type === "vlan")
      network.links.push(vlanLink(entry.name, nameOf(entry.vlan_link ?? ""), entry.vlan_id ?? 0, entry.mtu));
    readSubnets(entry, nameOf(entry.name), network);
  }
  return servers;
}

/** Talos passes silently over the kinds it does not know, among them dhcp6 and ipv6_slaac. */
function readSubnets(entry: Entry1, link: string, network: PlatformNetwork): void {
  for (const { type, address, netmask, gateway } of entry.subnets ?? []) {
    if (type === "dhcp" || type === "dhcp4") network.operators.push(dhcpOperator(link, "dhcp4"));
    if (type === "ipv6_dhcpv6-stateful") network.operators.push(dhcpOperator(link, "dhcp6"));
    if (type !== "static" && type !== "static6") continue;
    if (address !== undefined) network.addresses.push(addressSpec(withPrefix(address, netmask), link));
    if (gateway !== undefined) network.routes.push(...routeSpecs({ link, gateway }));
  }
}

function readVersion2(config: NetworkConfig, machine: NocloudMachine, network: PlatformNetwork): string[] {
  const { ethernets = {}, bonds = {}, vlans = {} } = config;
  const members = new Set(Object.values(bonds).flatMap(({ interfaces = [] }) => interfaces));
  const nameOf = (name: string): string => linkName(machine, ethernets[name]?.match?.macaddress, name);
  const servers: string[] = [];
  const read = (name: string, device: Device2, links: LinkSpec[]): void => {
    network.links.push(...links);
    readDevice(name, device, network);
    servers.push(...(device.nameservers?.addresses ?? []));
  };
  for (const [name, device] of Object.entries(ethernets))
    read(nameOf(name), device, members.has(name) ? [] : [physicalLink(nameOf(name), device.mtu)]);
  for (const [name, bond] of Object.entries(bonds))
    read(name, bond, bondLinks(name, (bond.interfaces ?? []).map(nameOf), bond.parameters, bond.mtu));
  for (const [name, vlan] of Object.entries(vlans))
    read(name, vlan, [vlanLink(name, nameOf(vlan.link), vlan.id, vlan.mtu)]);
  return servers;
}

function readDevice(link: string, device: Device2, network: PlatformNetwork): void {
  network.addresses.push(...(device.addresses ?? []).map((address) => addressSpec(address, link)));
  for (const gateway of [device.gateway4, device.gateway6])
    if (gateway !== undefined) network.routes.push(...routeSpecs({ link, gateway }));
  for (const route of device.routes ?? [])
    network.routes.push(
      ...routeSpecs({
        link,
        gateway: route.via,
        destination: route.to,
        metric: route.metric,
        isOnLink: route["on-link"] === true,
      }),
    );
  if (device.dhcp4) network.operators.push(dhcpOperator(link, "dhcp4"));
  if (device.dhcp6) network.operators.push(dhcpOperator(link, "dhcp6"));
}

const vlanLink = (name: string, parentName: string, vlanID: number, mtu = 0): LinkSpec => ({
  name,
  logical: true,
  up: true,
  mtu,
  kind: "vlan",
  type: "ether",
  parentName,
  vlan: { vlanID, vlanProtocol: "802.1q" },
  layer: "platform",
});

/** The members come first, each knowing its master and its place. */
const bondLinks = (name: string, members: string[], given: BondParameters = {}, mtu = 0): LinkSpec[] => [
  ...members.map((member, index) => ({
    ...physicalLink(member),
    masterName: name,
    slaveIndex: index || undefined,
  })),
  {
    name,
    logical: true,
    up: true,
    mtu,
    kind: "bond",
    type: "ether",
    bondMaster: bondMaster(given),
    layer: "platform",
  },
];

/** Version 1 writes `bond-mode` and `bond-miimon` where version 2 writes `mode` and `mii-monitor-interval`. */
function bondMaster(given: BondParameters): Record<string, string | number | boolean> {
  const value = <T extends string | number>(names: string[], usual: T): T =>
    (names.map((name) => given[name]).find((found) => found !== undefined) as T | undefined) ?? usual;
  const numbers = {
    miimon: value(["mii-monitor-interval", "bond-miimon"], 0),
    updelay: value(["up-delay", "bond-updelay"], 0),
    downdelay: value(["down-delay", "bond-downdelay"], 0),
  };
  return {
    mode: value(["mode", "bond-mode"], "balance-rr"),
    xmitHashPolicy: value(
      ["transmit-hash-policy", "bond-xmit_hash_policy", "bond-xmit-hash-policy"],
      "layer2",
    ),
    lacpRate: value(["lacp-rate", "bond-lacp_rate", "bond-lacp-rate"], "slow"),
    arpValidate: "none",
    arpAllTargets: "any",
    primaryReselect: "always",
    failOverMac: "none",
    ...Object.fromEntries(Object.entries(numbers).filter(([, number]) => number !== 0)),
    resendIgmp: 1,
    lpInterval: 1,
    packetsPerSlave: 1,
    numPeerNotif: 1,
    tlbLogicalLb: 1,
    useCarrier: true,
    adActorSysPrio: 65_535,
    adLacpActive: "on",
  };
}
