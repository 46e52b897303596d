import type { MachineConfig, NewMachine } from "../../clients/proxmox/index.ts";
import type { Architecture, MachineCard, Role } from "../../spec/index.ts";
import { type FoundCard, furtherCards, networkCard, readCard, readFurtherCards } from "./cards.ts";
import { volumeOf } from "./image.ts";
import { machineFirmware } from "./machine-firmware.ts";
import { markedDisks, markText, readMark, type Mark } from "./ownership.ts";
import { properties } from "./property-text.ts";

/** What a machine is found by. */
export interface MachineKey {
  host: string;
  vmid: number;
  cluster: string;
  node: string;
  /** When it is removed, its data disks go with it. */
  losesData?: boolean;
}

export interface MachineWant extends MachineKey {
  role: Role;
  cores: number;
  memoryMiB: number;
  diskGiB: number;
  dataDisks: { sizeGiB: number; storage: string; for?: string; isDisposable?: true }[];
  storage: string;
  image: { storage: string; file: string };
  bridge: string;
  vlan?: number;
  mac: string;
  mtu?: number;
  /** Cards beside the first one. */
  nics?: MachineCard[];
  address: string;
  /** The address is reserved for the card; the seed only says whom to ask. */
  isDhcp?: true;
  prefix: number;
  gateway: string;
  dns: string[];
  tags: string[];
  pool?: string;
  hasAgent: boolean;
  /** Absent: amd64. */
  architecture?: Architecture;
  isSecureBoot?: boolean;
}

/** The part of a machine that the cluster file owns, as Proxmox tells it. */
export interface MachineHave extends MachineKey {
  /** The Proxmox node it is on, which may be another one than the file says. */
  on: string;
  isRunning: boolean;
  role: Role;
  image: string;
  mark: Mark;
  /** Proxmox itself refuses to remove it. */
  isProtected: boolean;
  cores: number;
  memoryMiB: number;
  diskGiB: number;
  dataDisks: { slot: string; sizeGiB: number; volume: string }[];
  bridge: string;
  vlan?: number;
  mac: string;
  mtu?: number;
  /** Cards beside the first one. */
  nics: FoundCard[];
  address: string;
  dns: string[];
  tags: string[];
}

/** Everything in one call, so that a machine never exists without its mark. */
export function newMachine(want: MachineWant, slipway: string): NewMachine {
  const { cluster, node, role, image } = want;
  const mark: Mark = { cluster, node, role, image: image.file, slipway, ...markedDisks(want.dataDisks) };
  const data = want.dataDisks.map((disk, index) => [`scsi${index + 1}`, newDisk(disk)]);
  return {
    vmid: want.vmid,
    // The guest learns its host name from it, and storage drivers find the machine of a node by it.
    name: node,
    description: markText(mark),
    tags: want.tags.join(";"),
    ...(want.pool !== undefined && { pool: want.pool }),
    ostype: "l26",
    ...machineFirmware(want),
    sockets: 1,
    cores: want.cores,
    numa: false,
    memory: String(want.memoryMiB),
    // Kubernetes counts on the memory it was given.
    balloon: 0,
    // "virtio-scsi-single" is reported to hang Talos; without it an iothread would only be a warning at every start.
    scsihw: "virtio-scsi-pci",
    scsi0: `${want.storage}:0,import-from=${volumeOf(image)},${diskOptions}`,
    ...(Object.fromEntries(data) as Record<`scsi${number}`, string>),
    boot: "order=scsi0",
    net0: networkCard(want),
    ipconfig0: addressConfig(want),
    ...furtherCards(want.nics ?? []),
    ...(want.dns.length > 0 && { nameserver: want.dns.join(" ") }),
    serial0: "socket",
    // Without the agent in the guest, Proxmox would wait for it at every shutdown.
    agent: want.hasAgent ? "enabled=1" : "enabled=0",
    onboot: true,
  };
}

const diskOptions = "discard=on,ssd=1";

export const newDisk = (disk: { sizeGiB: number; storage: string }): string =>
  `${disk.storage}:${disk.sizeGiB},${diskOptions}`;

export const addressConfig = (want: Pick<MachineWant, "address" | "isDhcp" | "prefix" | "gateway">): string =>
  want.isDhcp ? "ip=dhcp" : `ip=${want.address}/${want.prefix},gw=${want.gateway}`;

/** Reads a configuration back; undefined when it does not carry our mark. */
export function readMachine(
  config: MachineConfig,
  place: { host: string; on: string; vmid: number; isRunning: boolean },
): MachineHave | undefined {
  const mark = readMark(config["description"] ?? "");
  if (!mark) return undefined;
  const dataDisks = Object.keys(config)
    .filter((key) => /^scsi\d+$/.test(key) && key !== "scsi0" && !config[key]?.includes("media=cdrom"))
    .map((slot) => ({ slot, sizeGiB: sizeGiB(config[slot] ?? ""), volume: volumeIn(config[slot] ?? "") }))
    .toSorted((a, b) => Number(a.slot.slice(4)) - Number(b.slot.slice(4)));
  const { mac, bridge, vlan, mtu } = readCard(config, 0);
  return {
    ...place,
    cluster: mark.cluster,
    node: mark.node,
    role: mark.role,
    image: mark.image,
    mark,
    isProtected: config["protection"] === "1",
    cores: number(config["cores"], 1) * number(config["sockets"], 1),
    // `8192`, or `current=8192` when somebody changed it by hand.
    memoryMiB: number(config["memory"]?.replace("current=", ""), 512),
    diskGiB: sizeGiB(config["scsi0"] ?? ""),
    dataDisks,
    bridge,
    ...(vlan !== undefined && { vlan }),
    mac,
    ...(mtu !== undefined && { mtu }),
    nics: readFurtherCards(config),
    address: config["ipconfig0"] ?? "",
    dns: words(config["nameserver"] ?? ""),
    tags: words(config["tags"] ?? "").toSorted(),
  };
}

const words = (text: string): string[] => text.split(/[;, ]+/).filter((word) => word !== "");

const number = (text: string | undefined, otherwise: number): number =>
  text === undefined || text === "" ? otherwise : Number(text);

/** `fast:vm-3000-disk-1` of `fast:vm-3000-disk-1,size=50G`. */
export const volumeIn = (drive: string): string => drive.split(",")[0] ?? "";

const unitsGiB: Record<string, number> = { K: 1 / 1024 ** 2, M: 1 / 1024, G: 1, T: 1024 };

/** `local:100/vm-100-disk-0.qcow2,size=1280M` is 1.25. */
export function sizeGiB(drive: string): number {
  const found = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(properties(drive).get("size") ?? "");
  return found ? Number(found[1]) * (unitsGiB[found[2] ?? ""] ?? 1 / 1024 ** 3) : 0;
}
