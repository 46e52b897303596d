import type { MachineConfig, MachineRef } from "../../../clients/proxmox/index.ts";
import type { MachinePlace } from "../../../plan/index.ts";
import type { Architecture, CloneKind, Cluster, Hardware, MachineNic, Role } from "../../../spec/index.ts";
import type { Mark } from "../mark.ts";
import type { FoundNic } from "./nics.ts";

/** What a machine is found by. */
export interface MachineKey {
  host: string;
  vmid: number;
  cluster: string;
  node: string;
  /** When it is removed, its data disks go with it. */
  losesData?: boolean | undefined;
  /** Numbers that new machines of the plan are about to get: disks that are kept go under another one. */
  reservedVmids?: number[] | undefined;
}

/** The VMID of something of ours: on Proxmox everything has one. */
export function vmidOf({ id }: { id?: number | undefined }): number {
  if (id === undefined) throw new Error("a machine on Proxmox without a VMID");
  return id;
}

/** A machine of a survey, as Proxmox is asked about it. */
export const machineRef = (machine: { on: string; id?: number | undefined }): MachineRef => ({
  node: machine.on,
  vmid: vmidOf(machine),
});

/** A machine of a survey or a plan, as it is found again. */
export const machineKeyOf = (machine: MachinePlace): MachineKey => ({
  host: machine.host,
  vmid: vmidOf(machine),
  cluster: machine.cluster,
  node: machine.node,
});

export interface MachineWant extends MachineKey {
  /** What Proxmox calls it; absent: as its node is called. */
  name?: string | undefined;
  role: Role;
  cores: number;
  memoryMiB: number;
  diskGiB: number;
  dataDisks: {
    sizeGiB: number;
    storage: string;
    for?: string | undefined;
    isDisposable?: true | undefined;
  }[];
  /** Data disks may wait for it, set aside from a machine that went, or will when this one is replaced. */
  mayHaveKeptDisks?: true | undefined;
  /** Of the system disk, the firmware's memory and the TPM. */
  storage: string;
  /** Those of its host that keep disks as files. */
  fileStorages?: string[] | undefined;
  /** Of the seed; absent: where the system disk is. */
  seedStorage?: string;
  image: { storage: string; file: string };
  /** What the system disk comes from; absent: it is a copy of the image. */
  from?: MachineSource | undefined;
  bridge: string;
  vlan?: number | undefined;
  trunks?: number[] | undefined;
  isFirewalled?: true | undefined;
  mac: string;
  mtu?: number | undefined;
  /** Cards beside the first one. */
  nics?: MachineNic[] | undefined;
  address: string;
  /** The address is reserved for the card; the seed only says whom to ask. */
  isDhcp?: true | undefined;
  prefix: number;
  gateway: string;
  dns: string[];
  /** Told to machines from cloud images only. */
  searchDomains?: string[] | undefined;
  /** Who logs in on a machine from a cloud image. It is told once: the guest reads it at its first start only. */
  login?: { user: string; keys: string[] };
  tags: string[];
  pool?: string | undefined;
  hasAgent: boolean;
  /** Absent: amd64. */
  architecture?: Architecture | undefined;
  isSecureBoot?: boolean | undefined;
  /** Absent: nothing was said about it. */
  hardware?: Hardware | undefined;
  /** Proxmox itself refuses to remove it. */
  isProtected?: true | undefined;
  /** Hosts that are lost, where it is made again. */
  insteadOf?: string[] | undefined;
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
  system?: FoundDisk | undefined;
  dataDisks: FoundDisk[];
  nic: FoundNic;
  /** Cards beside the first one. */
  nics: FoundNic[];
  tags: string[];
  /** As it stands, with much in it that is not ours. */
  config: MachineConfig;
  /** The same after its next start; absent when nothing waits for that. */
  next?: MachineHave | undefined;
}

/** What the system disk of a machine comes from, when it is not simply a copy of its image. */
export type MachineSource =
  | { kind: "iso"; volume: string }
  /** A backup of the machine it is made again for, with all that was on its disks. */
  | { kind: "archive"; volume: string }
  /** A template that is not ours is taken as it is, so the file must fit it. */
  | { kind: "clone"; template: number; clone: CloneKind; isTheirs?: true };

/** A disk as Proxmox tells it. */
export interface FoundDisk {
  slot: string;
  volume: string;
  storage: string;
  sizeGiB: number;
}

const agent = "qemu-guest-agent";

/** Whether the agent is in the system, or will be. */
export const hasGuestAgent = ({ distribution }: Pick<Cluster, "distribution">): boolean =>
  "extensions" in distribution
    ? distribution.extensions.includes(`siderolabs/${agent}`)
    : distribution.packages.includes(agent);

/** Whether new nodes are known by what they print on their serial console. */
export const readsConsole = ({ distribution }: Pick<Cluster, "distribution">): boolean =>
  distribution.firstContact === "console";
