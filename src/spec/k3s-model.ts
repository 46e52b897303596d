import type { GuestSystem } from "./linux-model.ts";
import type { Registry } from "./talos-model.ts";

/** Kubernetes by K3s, on machines from a cloud image: servers are the control planes, agents the workers. */
export interface K3sDistribution extends GuestSystem {
  kind: "k3s";
  /** Full, without a leading v: `1.36.3+k3s1`. */
  version: string;
  /** Where its files come from; absent: where its makers publish them. */
  artifacts?: K3sArtifacts;
  /** The images it starts with are brought along, for sites without a way out. */
  hasImages?: true;
  settings: K3sSettings;
}

/** A mirror that keeps them as the release page does, or a folder of this machine with the files of one version. */
export type K3sArtifacts = { url: string } | { folder: string };

export interface K3sSettings {
  /** Packaged parts left out: traefik, servicelb, local-storage, metrics-server, coredns. */
  disable: string[];
  flannel: FlannelBackend;
  /** Secrets are encrypted in etcd. */
  isEncrypting: boolean;
  /** Each node hands images it has to others. */
  hasEmbeddedRegistry?: true;
  /** By the host of the registry; `*` stands for all. */
  registries?: Record<string, Registry>;
  /** When etcd is snapshotted, and how many are kept; absent: as K3s does. */
  snapshots?: { schedule?: string; keep?: number };
  /** Further names and addresses in the certificate of the API. */
  certSANs?: string[];
  /** Flags as K3s spells them, without dashes; those of servers are for servers only. */
  serverFlags: Record<string, K3sFlag>;
  agentFlags: Record<string, K3sFlag>;
}

export type FlannelBackend = "vxlan" | "host-gw" | "wireguard-native";
export type K3sFlag = string | number | boolean | string[];
