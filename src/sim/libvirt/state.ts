import type { XmlElement } from "../../lib/index.ts";
import type { GuestDisk } from "../guest.ts";

/** Everything a simulated host remembers over a restart: plain JSON. */
export interface HostState {
  /** By UUID, like networks and pools. */
  domains: Record<string, SimDomain>;
  networks: Record<string, SimNetworkDefinition>;
  pools: Record<string, SimPool>;
  /** Folders and volume groups with what lies in them, whether or not a pool stands for them: by path. */
  places: Record<string, Place>;
  /** Addresses that DHCP servers gave out of their ranges, by network and MAC. */
  leases: Record<string, Record<string, string>>;
  /** What cards have been given, by MAC; `network` is libvirt's, and absent for one of the wire behind a bridge. */
  given: Record<string, GivenAddress>;
  /** What the next machine that starts is numbered with. */
  nextId: number;
}

export interface GivenAddress {
  cidr: string;
  hostname?: string | undefined;
  network?: string | undefined;
  /** Seconds since 1970. */
  expiry: number;
}

/** As libvirt numbers them. */
export const domainStates = { running: 1, paused: 3, off: 5, crashed: 6 } as const;
export const offReasons = { unknown: 0, shutdown: 1, destroyed: 2, crashed: 3, failed: 6 } as const;

export interface SimDomain {
  uuid: string;
  name: string;
  /** As it is at its next start. Absent: it is gone when it stops. */
  defined?: XmlElement;
  /** As it runs. */
  live?: XmlElement;
  /** -1 while it is off. */
  id: number;
  state: number;
  reason: number;
  startsWithHost: boolean;
  /** Names of its snapshots. */
  snapshots?: string[];
}

export interface SimNetworkDefinition {
  uuid: string;
  name: string;
  xml: XmlElement;
  isActive: boolean;
  startsWithHost: boolean;
}

export interface SimPool {
  uuid: string;
  name: string;
  kind: string;
  path: string;
  xml: XmlElement;
  isActive: boolean;
  startsWithHost: boolean;
}

export interface Place {
  sizeBytes: number;
  /** Its volumes are block devices. */
  isBlock: boolean;
  volumes: Record<string, SimVolume>;
}

export interface SimVolume {
  name: string;
  /** As libvirt takes it to be. */
  format: string;
  capacityBytes: number;
  allocationBytes: number;
  /** Of its file. */
  physicalBytes: number;
  backing?: { path: string; format: string } | undefined;
  /** Its first bytes, or all of a small one, in base64. */
  head: string;
  /** The image whose content it holds. */
  origin?: string | undefined;
  /** What a guest has written to it. */
  data?: GuestDisk;
}
