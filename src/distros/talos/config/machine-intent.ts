import type { YamlValue } from "../../../lib/index.ts";
import type { ConfigPatch } from "./patch/config-patch.ts";
import type { NetworkIntent } from "./network-intent.ts";

export type MachineRole = "control-plane" | "worker";

/** A secret is named, never written; whoever fills it in knows where to fetch it. */
export type SecretRef =
  | { env: string }
  | { file: string }
  | { command: string[] }
  | { age: string }
  | { sops: { file: string; key: string } };

/** What a machine shall be, in words that no Talos version changes. Each contract has its own way to write it down. */
export interface MachineIntent {
  /** The Talos minor whose shape the config has, e.g. `1.13`. */
  contract: string;
  /** The Talos that will read it; absent: one of the contract. */
  talos?: string | undefined;
  role: MachineRole;
  cluster: ClusterIntent;
  /** Absent: what DHCP or the platform offers, else Talos makes up a name from the machine's identity. */
  hostname?: string | undefined;
  network?: NetworkIntent;
  install?: InstallIntent | undefined;
  /** Further names and addresses in the certificates of the Talos API and, on control planes, of Kubernetes. */
  certSANs?: string[] | undefined;
  /** From which the node picks its address for kubelet and etcd; an entry with `!` in front is excluded. */
  nodeSubnets?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string> | undefined;
  taints?: Record<string, string>;
  kubelet?: KubeletIntent | undefined;
  sysctls?: Record<string, string> | undefined;
  kernelModules?: { name: string; parameters?: string[] | undefined }[] | undefined;
  /** By the host of the registry. */
  registries?: Record<string, RegistryIntent> | undefined;
  volumes?: VolumeIntent[] | undefined;
  /** Of Talos's own partitions. */
  encryption?: { state?: EncryptionIntent | undefined; ephemeral?: EncryptionIntent | undefined } | undefined;
  /** From 1.14 workloads are kept apart from the host unless this is false, which agents with hostPID and in-tree iSCSI need. */
  isWorkloadIsolated?: boolean | undefined;
  /** Merged in this order onto the generated config. */
  patches?: ConfigPatch[];
}

export interface ClusterIntent {
  name: string;
  endpoint: string;
  /** Without a leading v. */
  kubernetes: string;
  dnsDomain?: string | undefined;
  podSubnets?: string[] | undefined;
  serviceSubnets?: string[] | undefined;
  /** Absent: Talos's own flannel. */
  cni?: "none" | { urls: string[] } | undefined;
  isKubeProxyOff?: boolean | undefined;
  isSchedulingOnControlPlanes?: boolean;
  localApiServerPort?: number;
  /** Where nodes find each other; on unless false. */
  hasDiscovery?: boolean | undefined;
  hasKubeSpan?: boolean | undefined;
  /** Nodes wait for a cloud controller manager, installed by these manifests or otherwise. */
  externalCloudProvider?: { manifests?: string[] } | undefined;
  /** Addresses of manifests the control planes apply. */
  extraManifests?: string[] | undefined;
  inlineManifests?: { name: string; contents: string }[] | undefined;
}

export interface InstallIntent {
  /** A path, or what the disk is like. */
  disk?: string | DiskSelector | undefined;
  image?: string;
  /** With contracts before 1.12; later ones take them from the image's schematic. */
  extraKernelArgs?: string[];
}

/** All given things must be true of the disk. Texts may hold `*`. */
export interface DiskSelector {
  /** A comparison such as `>= 100GB`. */
  size?: string | undefined;
  model?: string | undefined;
  serial?: string | undefined;
  wwid?: string | undefined;
  uuid?: string | undefined;
  busPath?: string | undefined;
  type?: "ssd" | "hdd" | "nvme" | "sd" | undefined;
}

export interface KubeletIntent {
  extraArgs?: Record<string, string> | undefined;
  /** Parts of a KubeletConfiguration. */
  config?: Record<string, YamlValue> | undefined;
  clusterDns?: string[];
  /** Folders of the host the kubelet sees, under the same path. From 1.14 only those under /var/mnt. */
  mounts?: string[] | undefined;
}

export interface RegistryIntent {
  endpoints?: string[] | undefined;
  /** Endpoints are taken as they are, without `/v2` behind them. */
  isPathOverridden?: boolean | undefined;
  /** Never ask the registry itself when no endpoint answers. */
  isFallbackSkipped?: boolean | undefined;
  auth?:
    | { username?: string; password?: HiddenText; auth?: HiddenText; identityToken?: HiddenText }
    | undefined;
  tls?: { /** PEM text. */ ca?: string | undefined; isVerificationSkipped?: boolean | undefined } | undefined;
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
