import type { Role } from "../../spec/index.ts";
import type { ConfigPatch } from "./config-patch.ts";

/** What a machine shall be, in words that no Talos version changes. Each contract has its own way to write it down. */
export interface MachineIntent {
  /** The Talos minor whose shape the config has, e.g. `1.13`. */
  contract: string;
  /** The Talos that will read it; absent: one of the contract. */
  talos?: string;
  role: Role;
  cluster: ClusterIntent;
  /** Absent: Talos makes up a name from the machine's identity. */
  hostname?: string;
  network?: NetworkIntent;
  install?: { disk?: string; image?: string; extraKernelArgs?: string[] };
  /** Further names and addresses in the certificates of the Talos API and, on control planes, of Kubernetes. */
  certSANs?: string[];
  /** From which the node picks its address for kubelet and etcd; an entry with `!` in front is excluded. */
  nodeSubnets?: string[];
  labels?: Record<string, string>;
  taints?: Record<string, string>;
  sysctls?: Record<string, string>;
  registryMirrors?: Record<string, string[]>;
  volumes?: VolumeIntent[];
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
}

/** One NIC with a fixed address, known by its MAC because interface names differ between images. */
export interface NetworkIntent {
  /** Lower case: Talos compares letter by letter. */
  mac: string;
  /** With prefix length. */
  address: string;
  gateway: string;
  dns: string[];
  /** Shared between control planes. */
  vip?: string;
}

/** A data disk of its own, formatted and mounted at `/var/mnt/<name>`. */
export interface VolumeIntent {
  name: string;
  sizeGiB: number;
  /** `/dev/sdb`; only contracts before 1.10 look for the disk by its path. */
  device: string;
}
