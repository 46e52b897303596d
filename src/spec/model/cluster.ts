import type { Position } from "../../errors/index.ts";
import type { Addon } from "../addons/model.ts";
import type { Architecture, FirstContact, ImageSource } from "./image.ts";
import type { ExistingMachine } from "./existing.ts";
import type { Backups } from "./backups.ts";
import type { FilledPart } from "./file-part.ts";
import type { Jump } from "./jump.ts";
import type { Hardware, MachineBootSource } from "./machine.ts";
import type { K3sDistribution } from "./k3s.ts";
import type { LinuxDistribution } from "./linux.ts";
import type { OtherDistribution } from "./other-distribution.ts";
import type { LibvirtNetwork, Nic, Route, Vlan } from "./network.ts";
import type { Rollout } from "./rollout.ts";
import type { SecretRef, SecretsAtRest, TlsTrust } from "./secret.ts";
import type { KubernetesSettings, NodeTalos, TalosSettings } from "./talos.ts";

/** The cluster file, checked and completed: every default filled in, every address, MAC and name known. */
export interface Fleet {
  /** The path as the user gave it; messages name it. */
  file: string;
  hosts: Host[];
  clusters: Cluster[];
}

/** A hypervisor machines can run on, or machines that are there already. */
export type Host = ProxmoxHost | LibvirtHost | ExistingHost;

interface AnyHost {
  name: string;
  /** How much of what the host has may be promised to machines: 1 is all of it. */
  overcommit: FilledPart<"overcommit">;
  /** What its machines are labelled with beside their host; absent: nothing. */
  region?: string;
  /** Hosts to go through to its API, the nearest first; absent: it is reached directly. */
  jump?: Jump[];
  at: Position;
}

/** One Proxmox node. Several hosts may share a URL when they form one Proxmox cluster. */
export interface ProxmoxHost extends AnyHost {
  provider: "proxmox";
  proxmox: {
    url: string;
    node: string;
    token: { id: string; secret: SecretRef };
    tls: TlsTrust;
    storage: HostStorages;
    pool?: string;
  };
}

/** A Linux machine that runs libvirt. */
export interface LibvirtHost extends AnyHost {
  provider: "libvirt";
  libvirt: {
    /** `qemu:///system`, `qemu+ssh://USER@HOST/system` or `qemu+tls://HOST/system`. */
    uri: string;
    /** Where images and disks lie. With a path it is made when it is missing. */
    pool: { name: string; path?: string };
  };
}

/** Machines that are there already: none is ever made on it. */
export interface ExistingHost extends AnyHost {
  provider: "existing";
  existing: { machines: ExistingMachine[] };
}

/** Which storage of a host holds what. */
export type HostStorages = FilledPart<"storage">;

export type Placement = "spread" | "pack";
export type Role = "control-plane" | "worker";

export interface Cluster {
  name: string;
  /** Names of hosts, in file order. */
  on: string[];
  placement: Placement;
  /** What hypervisors call its machines, with `{cluster}` and `{node}` in it; absent: as each of them does. */
  machineNames?: string;
  bootSource: MachineBootSource;
  /** What its nodes call the disk they start from; absent: `/dev/sda`. */
  systemDisk?: string;
  /** Proxmox restarts its machines elsewhere when their host is lost. */
  isHighlyAvailable?: true;
  /** A Proxmox account of its own for the cloud controller manager and the storage driver. */
  hasCloudAccount?: true;
  /** Names of clusters that have to be whole before its Kubernetes is set up; its machines are made meanwhile. */
  dependsOn?: string[];
  /** The cluster whose Rancher manages it. */
  registerWith?: { cluster: string; managesVersion: boolean; at: Position };
  /** Hosts that hand no SSH host keys to new machines: those make their own. */
  keylessHosts?: string[];
  /** How many snapshots of a machine are kept when `up` takes one before it changes something. */
  snapshots?: { keep: number };
  /** Where machines are backed up before `up` interrupts or removes them. */
  machineBackups?: { storage: string };
  /** Absent: as careful as can be; see `rolloutOf`. */
  rollout?: Rollout;
  distribution: TalosDistribution | LinuxDistribution | K3sDistribution | OtherDistribution;
  /** Without a leading v; empty where no Kubernetes is set up. */
  kubernetes: string;
  /** Absent: nothing was said about it. */
  kubernetesSettings?: KubernetesSettings;
  network: ClusterNetwork;
  /** `https://HOST:6443`: the VIP, else the first control plane, unless the file names another. */
  endpoint: string;
  /** Control planes first, then workers, each in index order. */
  nodes: Node[];
  patches: Patch[];
  addons: Addon[];
  /** A folder that holds every chart as NAME-VERSION.tgz, for sites without a way out. Relative to the cluster file. */
  charts?: { folder: string };
  protect: boolean;
  /** Absent: plain files, for the eyes of their owner only. */
  secrets?: SecretsAtRest;
  /** Absent: nothing was said about it. */
  backups?: Backups;
  /** Extra facts the user wants on every machine, as tags. */
  tags: string[];
  at: Position;
}

export interface TalosDistribution {
  kind: "talos";
  /** Full version without a leading v, e.g. 1.13.9. */
  version: string;
  /** Official extensions by short or full name, sorted, deduplicated, `siderolabs/` in front. */
  extensions: string[];
  kernelArgs: string[];
  architecture: Architecture;
  /** With firmware that starts signed images only, and a TPM. */
  isSecureBoot?: true;
  /** An image of the user's own instead of the factory's. */
  image?: ImageSource;
  factory: string;
  firstContact: FirstContact;
  /** Absent: nothing was said about it. */
  settings?: TalosSettings;
}

export interface ClusterNetwork {
  cidr: string;
  /** Bits of the cidr. */
  prefix: number;
  gateway: string;
  /** None when DHCP is asked and the file names none. */
  dns: string[];
  bridge: string;
  /** Hosts to go through to the nodes and to Kubernetes, the nearest first; absent: they are reached directly. */
  jump?: Jump[];
  /** Absent: machines on libvirt, too, are plugged into the bridge. */
  libvirt?: LibvirtNetwork;
  vlan?: number;
  /** VLANs that pass the nodes' first cards tagged. */
  trunks?: number[];
  /** The first cards go through the hypervisor's firewall. */
  isFirewalled?: true;
  vip?: string;
  /** Of the nodes' first cards. */
  mtu?: number;
  /** Beside the one to the gateway. */
  routes?: Route[];
  searchDomains?: string[];
  ntp?: string[];
  /** Names that no DNS server knows, by address. */
  hosts?: Record<string, string[]>;
  podSubnets: string[];
  serviceSubnets: string[];
  dnsDomain: string;
}

export interface Node {
  /** `cp-1`, `worker-2`, or `POOL-1` for named pools; the name of its machine where that is there already. Unique within its cluster. */
  name: string;
  role: Role;
  /** `control-planes`, `workers`, or the pool's name. */
  pool: string;
  /** From 1, within the pool. */
  index: number;
  cores: number;
  memoryMiB: number;
  diskGiB: number;
  /** Of the system disk; absent: the host's own for disks. */
  storage?: string;
  dataDisks: DataDisk[];
  /** Absent: nothing was said about it. */
  hardware?: Hardware;
  /** Neither removed nor replaced. */
  isProtected?: true;
  address: string;
  /** Lower case, locally administered. */
  mac: string;
  /** The address is reserved at a DHCP server, which the node asks; its name is the one offered there. */
  isDhcp?: true;
  /** On top of the first card, tagged by the node itself. */
  vlans?: Vlan[];
  /** Cards beside the first one; see `nicsOf`. */
  nics?: Nic[];
  /** Absent: taken from the role's range when planned. */
  vmid?: number;
  /** Pinned to one host of the cluster's `on`. */
  host?: string;
  /** The machine it is, where that is there already; absent: one is made. */
  machine?: ExistingMachine;
  patches: Patch[];
  labels: Record<string, string>;
  taints: Record<string, string>;
  annotations?: Record<string, string>;
  talos?: NodeTalos;
  at: Position;
}

export interface DataDisk {
  sizeGiB: number;
  /** What it is meant for, e.g. `longhorn`; free text otherwise. */
  for?: string;
  /** Another storage than the host's own. */
  storage?: string;
  /** Goes with its machine; absent: it outlives it. */
  isDisposable?: true;
}

/** A Talos machine config patch: given inline as data, or in a file beside the cluster file. */
export type Patch = ({ inline: unknown } | { file: string }) & { at: Position };
