import ipaddr from "ipaddr.js";

/** What Talos derives from a network-config, in the words of its own network resources. */
export interface PlatformNetwork {
  addresses: AddressSpec[];
  links: LinkSpec[];
  routes: RouteSpec[];
  hostnames: { hostname: string; domainname?: string; layer: "platform" }[];
  resolvers: ResolverSpec[];
  timeServers: never[];
  operators: OperatorSpec[];
  externalIPs: never[];
  metadata: {
    platform: "nocloud";
    hostname?: string | undefined;
    instanceId?: string | undefined;
    internalDNS?: string | undefined;
  };
}

export interface AddressSpec {
  address: string;
  linkName: string;
  family: Family;
  scope: "global";
  flags: "permanent";
  layer: "platform";
}

export interface LinkSpec {
  name: string;
  logical: boolean;
  up: true;
  mtu: number;
  kind: "" | "bond" | "vlan";
  /** Talos does not look at the hardware here, so the type of a NIC is the first in its list. */
  type: "netrom" | "ether";
  masterName?: string;
  slaveIndex?: number | undefined;
  parentName?: string;
  vlan?: { vlanID: number; vlanProtocol: "802.1q" };
  bondMaster?: Record<string, string | number | boolean>;
  layer: "platform";
}

export interface RouteSpec {
  family: Family;
  dst: string;
  src: "";
  gateway: string;
  outLinkName: string;
  table: "main";
  priority: number;
  scope: "global" | "link";
  type: "unicast";
  flags: "";
  protocol: "static";
  layer: "platform";
}

export interface ResolverSpec {
  dnsServers: string[];
  nameServers: { addr: string; protocol: "Do53"; tlsServerName: "" }[];
  layer: "platform";
}

export type OperatorSpec = {
  operator: "dhcp4" | "dhcp6";
  linkName: string;
  requireUp: true;
  dhcp4?: { routeMetric: number };
  dhcp6?: { routeMetric: number };
  layer: "platform";
};

export type Family = "inet4" | "inet6";

export const familyOf = (address: string): Family => (address.includes(":") ? "inet6" : "inet4");

const usualMetric = (family: Family): number => (family === "inet4" ? 1024 : 2048);

export const addressSpec = (address: string, linkName: string): AddressSpec => ({
  address,
  linkName,
  family: familyOf(address),
  scope: "global",
  flags: "permanent",
  layer: "platform",
});

/** A route through a gateway; one that is on the link itself also gets a route to the gateway. */
export function routeSpecs(route: {
  link: string;
  gateway: string;
  destination?: string | undefined;
  metric?: number | undefined;
  isOnLink?: boolean;
}): RouteSpec[] {
  const family = familyOf(route.gateway);
  const isDefault = ["default", "0.0.0.0/0", "::/0", undefined].includes(route.destination);
  const spec: RouteSpec = {
    family,
    dst: isDefault ? "" : (route.destination ?? ""),
    src: "",
    gateway: route.gateway,
    outLinkName: route.link,
    table: "main",
    priority: route.metric ?? usualMetric(family),
    scope: "global",
    type: "unicast",
    flags: "",
    protocol: "static",
    layer: "platform",
  };
  const gatewayAlone = `${route.gateway}/${family === "inet4" ? 32 : 128}`;
  return route.isOnLink ? [spec, { ...spec, dst: gatewayAlone, gateway: "", scope: "link" }] : [spec];
}

export const physicalLink = (name: string, mtu = 0): LinkSpec => ({
  name,
  logical: false,
  up: true,
  mtu,
  kind: "",
  type: "netrom",
  layer: "platform",
});

export const dhcpOperator = (linkName: string, operator: "dhcp4" | "dhcp6"): OperatorSpec => ({
  operator,
  linkName,
  requireUp: true,
  [operator]: { routeMetric: usualMetric(operator === "dhcp4" ? "inet4" : "inet6") },
  layer: "platform",
});

/** The address with its prefix length, which older configs give as a mask beside it. */
export function withPrefix(address: string, netmask: string | undefined): string {
  if (address.includes("/") || netmask === undefined) return address;
  return `${address}/${ipaddr.parse(netmask).prefixLengthFromSubnetMask() ?? 32}`;
}
