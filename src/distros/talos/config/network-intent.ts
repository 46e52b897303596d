/** How a machine is connected, in words that no Talos version changes. */
export interface NetworkIntent {
  links: LinkIntent[];
  dns?: string[] | undefined;
  searchDomains?: string[] | undefined;
  ntp?: string[] | undefined;
  /** Names of addresses that no DNS server knows. */
  hosts?: Record<string, string[]> | undefined;
}

/** A NIC, known by its MAC because interface names differ between images; or several NICs joined to one. */
export type LinkIntent = ({ mac: string } | { bond: BondIntent }) &
  LinkSettings & { vlans?: VlanIntent[] | undefined };

export interface VlanIntent extends LinkSettings {
  id: number;
}

export interface LinkSettings {
  /** With prefix length. */
  addresses?: string[] | undefined;
  routes?: RouteIntent[] | undefined;
  mtu?: number | undefined;
  /** Also asks a DHCP server. The hostname it offers counts unless the machine has one of its own. */
  dhcp?: { routeMetric?: number; isHostnameIgnored?: boolean } | undefined;
  /** Shared between control planes; workers never hold it. */
  vip?: string | undefined;
}

export interface RouteIntent {
  gateway: string;
  /** Absent: everything that no other route knows. */
  destination?: string | undefined;
  metric?: number | undefined;
}

export interface BondIntent {
  /** The name the kernel gives it, e.g. `bond0`. */
  name: string;
  macs: string[];
  mode:
    | "balance-rr"
    | "active-backup"
    | "balance-xor"
    | "broadcast"
    | "802.3ad"
    | "balance-tlb"
    | "balance-alb";
  lacpRate?: "slow" | "fast" | undefined;
  xmitHashPolicy?: "layer2" | "layer3+4" | "layer2+3" | "encap2+3" | "encap3+4" | "vlan+srcmac" | undefined;
  miimonMs?: number;
}

/** The usual case: one NIC with a fixed address. */
export const singleLink = (nic: {
  mac: string;
  /** With prefix length. */
  address: string;
  gateway: string;
  dns: string[];
  vip?: string;
}): NetworkIntent => ({
  links: [
    {
      mac: nic.mac,
      addresses: [nic.address],
      routes: [{ gateway: nic.gateway }],
      vip: nic.vip,
    },
  ],
  dns: nic.dns,
});
