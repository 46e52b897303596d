import type { SecretRef } from "./model.ts";

/** How the nodes of a cluster run Talos. Everything absent is as Talos has it. */
export interface TalosSettings {
  /** The Talos minor whose form the machine configs have, like `1.13`. Absent: that of the running cluster, else of the version. */
  contract?: string;
  /** Further names and addresses in the certificates of the control planes. */
  certSANs?: string[];
  /** By the host of the registry. */
  registries?: Record<string, Registry>;
  /** Of Talos's own partitions. */
  encryption?: { state?: DiskKey; ephemeral?: DiskKey };
  /** From contract 1.14 on. */
  isWorkloadIsolated?: boolean;
  hasDiscovery?: boolean;
  hasKubeSpan?: boolean;
}

export interface Registry {
  mirrors?: string[];
  /** Mirrors are asked as they are written, without `/v2` behind them. */
  isPathOverridden?: boolean;
  /** The registry itself is never asked when no mirror answers. */
  isFallbackSkipped?: boolean;
  auth?: { username: string; password: SecretRef } | { token: SecretRef };
  /** PEM text. */
  ca?: string;
  isVerificationSkipped?: boolean;
}

/** `tpm` comes with secure boot. */
export type DiskKey = { nodeId: true } | { tpm: true } | { passphrase: SecretRef } | { kms: string };

/** What may differ from node to node. */
export interface NodeTalos {
  /** A path, or what the disk is like. */
  installDisk?: string | DiskLike;
  kernelModules?: { name: string; parameters?: string[] }[];
  sysctls?: Record<string, string>;
  kubelet?: {
    args?: Record<string, string>;
    /** Parts of a KubeletConfiguration. */
    config?: Record<string, unknown>;
    /** Folders of the node that the kubelet sees. */
    mounts?: string[];
  };
}

/** All given things are true of the disk; texts may hold `*`. */
export interface DiskLike {
  /** A comparison such as `>= 100GB`. */
  size?: string;
  model?: string;
  serial?: string;
  wwid?: string;
  uuid?: string;
  busPath?: string;
  type?: "ssd" | "hdd" | "nvme" | "sd";
}

/** What Kubernetes is brought up with. */
export interface KubernetesSettings {
  cni?: "flannel" | "none";
  hasKubeProxy?: boolean;
  isSchedulingOnControlPlanes?: boolean;
  externalCloudProvider?: { manifests: string[] };
  /** Addresses of manifests that the control planes fetch and apply. */
  extraManifests?: string[];
  inlineManifests?: { name: string; contents: string }[];
}
