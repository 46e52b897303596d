import type { MachineConfig, NewMachine } from "../../clients/proxmox/index.ts";
import type { Architecture, Hardware, MachineCard, Role } from "../../spec/index.ts";
import { type FoundCard, furtherCards, networkCard, readCard, readFurtherCards } from "./cards.ts";
import { volumeOf } from "./image-volume.ts";
import { machineFirmware } from "./machine-firmware.ts";
import { markedDisks, markText, readMark, type Mark } from "./ownership.ts";
import { machineSettings } from "./machine-settings.ts";
import type { MachineSource } from "./origin/index.ts";
import { newDisk, readDisk, readDataDisks, systemSlot, type FoundDisk } from "./machine-drives.ts";

export { newDisk, sizeGiB, volumeIn } from "./machine-drives.ts";

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
  /** Of the system disk, the firmware's memory and the TPM. */
  storage: string;
  /** Those of its host that keep disks as files. */
  fileStorages?: string[];
  /** Of the seed; absent: where the system disk is. */
  seedStorage?: string;
  image: { storage: string; file: string };
  /** What the system disk comes from; absent: it is a copy of the image. */
  from?: MachineSource;
  bridge: string;
  vlan?: number;
  trunks?: number[];
  isFirewalled?: true;
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
  /** Told to machines from cloud images only. */
  searchDomains?: string[];
  /** Who logs in on a machine from a cloud image. It is told once: the guest reads it at its first start only. */
  login?: { user: string; keys: string[] };
  tags: string[];
  pool?: string;
  hasAgent: boolean;
  /** Absent: amd64. */
  architecture?: Architecture;
  isSecureBoot?: boolean;
  /** Absent: nothing was said about it. */
  hardware?: Hardware;
  /** Proxmox itself refuses to remove it. */
  isProtected?: true;
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
  /** The one it starts from; absent when it has none. */
  system?: FoundDisk;
  dataDisks: FoundDisk[];
  card: FoundCard;
  /** Cards beside the first one. */
  nics: FoundCard[];
  tags: string[];
  /** As it stands, with much in it that is not ours. */
  config: MachineConfig;
  /** The same after its next start; absent when nothing waits for that. */
  next?: MachineHave;
}

/** Everything in one call, so that a machine never exists without its mark. */
export function newMachine(want: MachineWant, slipway: string): NewMachine {
  const { cluster, node, role, image } = want;
  const mark: Mark = {
    cluster,
    node,
    role,
    image: image.file,
    slipway,
    ...markedDisks(want.dataDisks),
    ...(want.isProtected && { protect: want.isProtected }),
  };
  const data = want.dataDisks.map((disk, index) => [`scsi${index + 1}`, newDisk(disk, want)]);
  return {
    vmid: want.vmid,
    description: markText(mark),
    ...(want.pool !== undefined && { pool: want.pool }),
    ...machineSettings(want),
    ...machineFirmware(want),
    scsi0: newDisk({ storage: want.storage, from: volumeOf(image) }, want),
    ...(Object.fromEntries(data) as Record<`scsi${number}`, string>),
    boot: "order=scsi0",
    net0: networkCard(want),
    ...furtherCards(want.nics ?? []),
  };
}

// The seed is read when a machine starts and at no other time, so what will be in it then is what counts.
const isOfSeed = (key: string): boolean => /^(?:ipconfig\d+|nameserver|searchdomain)$/.test(key);

/** Reads a configuration back; undefined when it does not carry our mark. */
export function readMachine(
  config: MachineConfig,
  place: { host: string; on: string; vmid: number; isRunning: boolean },
  next: MachineConfig = config,
): MachineHave | undefined {
  const mark = readMark(config["description"] ?? "");
  if (!mark) return undefined;
  const now = Object.fromEntries([
    ...Object.entries(config).filter(([key]) => !isOfSeed(key)),
    ...Object.entries(next).filter(([key]) => isOfSeed(key)),
  ]);
  const later = waitingKeys(now, next).length === 0 ? undefined : readMachine(next, place);
  const system = readDisk(now, systemSlot(now));
  return {
    ...place,
    cluster: mark.cluster,
    node: mark.node,
    role: mark.role,
    image: mark.image,
    mark,
    isProtected: now["protection"] === "1",
    cores: number(now["cores"], 1) * number(now["sockets"], 1),
    // `8192`, or `current=8192` when somebody changed it by hand.
    memoryMiB: number(now["memory"]?.replace("current=", ""), 512),
    diskGiB: system?.sizeGiB ?? 0,
    ...(system && { system }),
    dataDisks: readDataDisks(now),
    card: readCard(now, 0),
    nics: readFurtherCards(now),
    tags: words(now["tags"] ?? "").toSorted(),
    config: now,
    ...(later && { next: later }),
  };
}

/** The keys that will be otherwise after the next start. */
export const waitingKeys = (now: MachineConfig, next: MachineConfig): string[] =>
  [...new Set([...Object.keys(now), ...Object.keys(next)])].filter((key) => now[key] !== next[key]);

const words = (text: string): string[] => text.split(/[;, ]+/).filter((word) => word !== "");

const number = (text: string | undefined, otherwise: number): number =>
  text === undefined || text === "" ? otherwise : Number(text);
