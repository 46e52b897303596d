import type { FilePart, FilledPart } from "./file-part.ts";

/** A network card as the hypervisor plugs it in. */
export interface NicPort {
  /** Lower case, locally administered unless the file says otherwise. */
  mac: string;
  /** A bridge, or a vnet of Proxmox's own networks. */
  bridge: string;
  vlan?: number | undefined;
  /** VLANs that pass it tagged. */
  trunks?: number[] | undefined;
  isFirewalled?: true | undefined;
}

/** What a link of a node is told, whatever it is made of. Everything absent is left to Talos. */
export interface Link {
  /** With prefix length. */
  address?: string;
  isDhcp?: true;
  mtu?: number;
  routes?: Route[];
}

export interface Route {
  /** A network; absent: everything that no other route knows. */
  to?: string;
  via: string;
  metric?: number;
}

/** A VLAN that the node itself tags, on top of a card. */
export interface Vlan extends Link {
  id: number;
}

/** A card beside the first one, alone or joined with others. */
export interface Nic extends NicPort, Link {
  vlans?: Vlan[];
  bond?: Bond;
}

export interface Bond
  extends Pick<FilledPart<"bond">, "mode">, Pick<FilePart<"bond">, "lacpRate" | "hashPolicy"> {
  /** The cards it is joined with. */
  with: NicPort[];
}

/** What the first cards of machines on libvirt are plugged into, where that is no bridge of the host. */
export type LibvirtNetwork =
  /** A network of libvirt that somebody else keeps. */
  | { kind: "network"; name: string }
  /** One of the cluster's own, made and removed with it. */
  | { kind: "create"; name: string; mode: "nat" | "isolated" | "routed"; hasReservations?: true | undefined }
  /** A card of the host, which it shares with its machines. */
  | { kind: "macvtap"; device: string };
