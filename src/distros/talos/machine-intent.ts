import type { YamlValue } from "../../lib/index.ts";
import type { Role, SecretRef } from "../../spec/index.ts";
import type { ConfigPatch } from "./config-patch.ts";
import type { NetworkIntent } from "./network-intent.ts";

/** What a machine shall be, in words that no Talos version changes. Each contract has its own way to write it down. */
export interface MachineIntent {
  /** The Talos minor whose shape the config has, e.g. `1.13`. */
  contract: string;
  /** The Talos that will read it; absent: one of the contract. */
  talos?: string;
  role: Role;
  cluster: ClusterIntent;
  /** Absent: what DHCP or the platform offers, else Talos makes up a name from the machine's identity. */
  hostname?: string;
  network?: NetworkIntent;
  install?: InstallIntent;
  /** Further names and addresses in the certificates of the Talos API and, on control planes, of Kubernetes. */
  certSANs?: string[];
  /** From which the node picks its address for kubelet and etcd; an entry with `!` in front is excluded. */
  nodeSubnets?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  taints?: Record<string, string>;
  kubelet?: KubeletIntent;
  sysctls?: Record<string, string>;
  kernelModules?: { name: string; parameters?: string[] }[];
  /** By the host of the registry. */
  registries?: Record<string, RegistryIntent>;
  volumes?: VolumeIntent[];
  /** Of Talos's own partitions. */
  encryption?: { state?: EncryptionIntent; ephemeral?: EncryptionIntent };
  /** From 1.14 workloads are kept apart from the host unless this is false, which agents with hostPID and in-tree iSCSI need. */
  isWorkloadIsolated?: boolean;
  /** Merged in this order onto the generated config. */
  patches?: ConfigPatch[];
}

export interface ClusterIntent {
  name: string;
  endpoint: string;
  /** Without a leading v. */
  kubernetes: string;
  dnsDomain?: string;
  podSubnets?: string[];
  serviceSubnets?: string[];
  /** Absent: Talos's own flannel. */
  cni?: "none" | { urls: string[] };
  isKubeProxyOff?: boolean;
  isSchedulingOnControlPlanes?: boolean;
  localApiServerPort?: number;
  /** Where nodes find each other; on unless false. */
  hasDiscovery?: boolean;
  hasKubeSpan?: boolean;
  /** Nodes wait for a cloud controller manager, brought by these manifests or by somebody else. */
  externalCloudProvider?: { manifests?: string[] };
  /** Addresses of manifests the control planes apply. */
  extraManifests?: string[];
  inlineManifests?: { name: string; contents: string }[];
}

export interface InstallIntent {
  /** A path, or what the disk is like. */
  disk?: string | DiskSelector;
  image?: string;
  /** With contracts before 1.12; later ones take them from the image's schematic. */
  extraKernelArgs?: string[];
}

/** All given things must be true of the disk. Texts may hold `*`. */
export interface DiskSelector {
  /** A comparison such as `>= 100GB`. */
  size?: string;
  model?: string;
  serial?: string;
  wwid?: string;
  uuid?: string;
  busPath?: string;
  type?: "ssd" | "hdd" | "nvme" | "sd";
}

export interface KubeletIntent {
  extraArgs?: Record<string, string>;
  /** Parts of a KubeletConfiguration. */
  config?: Record<string, YamlValue>;
  clusterDns?: string[];
  /** Folders of the host the kubelet sees, under the same path. From 1.14 only those under /var/mnt. */
  mounts?: string[];
}

export interface RegistryIntent {
  endpoints?: string[];
  /** Endpoints are taken as they are, without `/v2` behind them. */
  isPathOverridden?: boolean;
  /** Never ask the registry itself when no endpoint answers. */
  isFallbackSkipped?: boolean;
  auth?: { username?: string; password?: HiddenText; auth?: HiddenText; identityToken?: HiddenText };
  tls?: { /** PEM text. */ ca?: string; isVerificationSkipped?: boolean };
}

/** A data disk of its own, formatted and mounted at `/var/mnt/<name>`. */
export interface VolumeIntent {
  name: string;
  sizeGiB: number;
  /** `/dev/sdb`; only contracts before 1.10 look for the disk by its path. */
  device: string;
  /** Another way to know the disk than by its size, in Talos's expression language. */
  match?: string;
  filesystem?: "xfs" | "ext4";
  encryption?: EncryptionIntent;
}

/** Any of the keys opens the disk. */
export interface EncryptionIntent {
  keys: EncryptionKeyIntent[];
}

export type EncryptionKeyIntent =
  /** Derived from the machine's identity: protects a disk that leaves its machine. */
  { nodeId: true } | { tpm: true } | { passphrase: HiddenText } | { kmsEndpoint: string };

/** A secret, or where it is found. Plans hold the latter; `withSecrets` puts the value in before a config is written. */
export type HiddenText = string | { secret: SecretRef };
