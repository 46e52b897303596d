import type { Position } from "../../errors/index.ts";
import type { SecretRef } from "../model.ts";
import type { KnownAddonName } from "../known-addons.ts";

/** Add-ons Slipway knows, and the user's own: a chart or manifests. */
export type AddonName = KnownAddonName | "chart" | "manifest";

/** Where a chart comes from. Paths are relative to the cluster file. */
export type ChartSource = { oci: string } | { repository: string; name: string } | { path: string };

/** Who keeps an add-on as it should be from now on. */
export type AddonOwner = "slipway" | "gitops";

/** What every add-on has, with its name and options beside it. */
interface AddonBase<Name extends AddonName, Options> {
  name: Name;
  /** Unique in its cluster: the name of a known add-on, the user's own name for a chart or manifests. */
  id: string;
  /** Complete: what the file leaves out is filled in. */
  options: Options;
  owner: AddonOwner;
  /** Of the chart, without a leading v; of the user's own as written. Absent: the newest that was tested with the cluster's Kubernetes. */
  version?: string;
  /** Chart values that win over Slipway's own, those of the files first. */
  values: Record<string, unknown>;
  valuesFiles: string[];
  /** By the path of the value, its parts joined by dots. */
  secretValues: Record<string, SecretRef>;
  /** Absent: where its makers publish it. */
  chart?: ChartSource;
  /** Not in the file: another add-on cannot work without it. */
  isBrought?: true;
  at: Position;
}

export type CiliumAddon = AddonBase<"cilium", CiliumOptions>;
export type NfsCsiAddon = AddonBase<"nfs-csi", NfsCsiOptions>;
export type ProxmoxCcmAddon = AddonBase<"proxmox-ccm", NoOptions>;
export type ProxmoxCsiAddon = AddonBase<"proxmox-csi", ProxmoxCsiOptions>;
export type LonghornAddon = AddonBase<"longhorn", LonghornOptions>;
export type PrometheusCrdsAddon = AddonBase<"prometheus-crds", NoOptions>;
export type MetricsServerAddon = AddonBase<"metrics-server", NoOptions>;
export type KubeletCsrApproverAddon = AddonBase<"kubelet-csr-approver", NoOptions>;
export type CertManagerAddon = AddonBase<"cert-manager", NoOptions>;
export type GatewayApiCrdsAddon = AddonBase<"gateway-api-crds", GatewayApiCrdsOptions>;
export type FluxAddon = AddonBase<"flux", FluxOptions>;
export type ArgocdAddon = AddonBase<"argocd", ArgocdOptions>;
export type RancherAddon = AddonBase<"rancher", RancherOptions>;
export type ChartAddon = AddonBase<"chart", OwnChartOptions>;
export type ManifestAddon = AddonBase<"manifest", OwnManifestOptions>;

export type Addon =
  | CiliumAddon
  | NfsCsiAddon
  | ProxmoxCcmAddon
  | ProxmoxCsiAddon
  | LonghornAddon
  | PrometheusCrdsAddon
  | MetricsServerAddon
  | KubeletCsrApproverAddon
  | CertManagerAddon
  | GatewayApiCrdsAddon
  | FluxAddon
  | ArgocdAddon
  | RancherAddon
  | ChartAddon
  | ManifestAddon;

export type NoOptions = Record<string, never>;

/** Addresses for services: both ends belong to it. */
export interface AddressRange {
  start: string;
  stop: string;
}

export interface BgpPeer {
  address: string;
  asn: number;
}

/** How the network learns where the addresses of services are. */
export type Announcement =
  | { kind: "l2"; interfaces: string[] }
  | { kind: "bgp"; asn: number; peers: BgpPeer[] }
  | { kind: "none" };

export interface CiliumOptions {
  kubeProxyReplacement: boolean;
  hubble: "off" | "relay" | "ui";
  /** None: services of type LoadBalancer get no address. */
  pools: AddressRange[];
  announce: Announcement;
  gatewayApi: boolean;
  bandwidthManager: boolean;
  /** None: Cilium finds them. */
  devices: string[];
}

export type ReclaimPolicy = "Delete" | "Retain";

export interface NfsCsiOptions {
  server: string;
  share: string;
  storageClass: {
    name: string;
    isDefault: boolean;
    mountOptions: string[];
    /** What becomes of a volume's folder when the volume goes. */
    onDelete: "delete" | "retain" | "archive";
    reclaimPolicy: ReclaimPolicy;
    /** The folder of a volume below the share; absent: named after the volume. */
    subDir?: string;
  };
}

export interface ProxmoxStorageClass {
  name: string;
  /** The storage's name in Proxmox. */
  storage: string;
  fstype: "ext4" | "xfs";
  reclaimPolicy: ReclaimPolicy;
  isDefault: boolean;
}

export interface ProxmoxCsiOptions {
  storageClasses: ProxmoxStorageClass[];
}

export interface LonghornOptions {
  dataPath: string;
  replicas: number;
  /** Its storage class is the cluster's default. */
  isDefault: boolean;
}

export interface GatewayApiCrdsOptions {
  channel: "standard" | "experimental";
}

/** How a Git server lets one in. */
export interface GitCredentials {
  /** For HTTPS. */
  username: string;
  password?: SecretRef;
  /** The private key, for SSH. */
  sshKey?: SecretRef;
  /** Lines of a known_hosts file, for SSH. */
  knownHosts?: SecretRef;
  /** Certificates of the authority that signed the server's, as PEM. */
  ca?: SecretRef;
}

export interface FluxOptions {
  url: string;
  branch: string;
  /** A folder of the repository. */
  path: string;
  credentials?: GitCredentials;
  /** The key that opens what SOPS has encrypted for age. */
  ageKey?: SecretRef;
  /** Of Flux itself: `2.9.x` takes its patches as they come. */
  distribution: string;
  /** Where the images of its controllers come from. */
  registry: string;
}

export interface ArgocdOptions {
  /** Absent: Argo CD is installed and left alone. */
  repository?: { url: string; path: string; revision: string; credentials?: GitCredentials };
  /** The name of the application that brings all others. */
  application: string;
  /** Objects that leave the repository are removed from the cluster. */
  prune: boolean;
  selfHeal: boolean;
}

export interface RancherOptions {
  /** The name people and other clusters reach it under. */
  hostname: string;
  /** Of the first administrator; absent: made once and kept with the cluster's secrets. */
  password?: SecretRef;
  tls: RancherTls;
  replicas: number;
}

/** Who vouches for its certificate: an authority of Slipway's own, cert-manager, or files of the user. */
export type RancherTls =
  | { by: "slipway" }
  | { by: "cert-manager" }
  | { by: "files"; certificate: SecretRef; key: SecretRef; ca?: SecretRef };

export type PodSecurity = "privileged" | "baseline" | "restricted";

export interface OwnChartOptions {
  namespace: string;
  /** What its pods may do; absent: what the cluster allows by itself. */
  podSecurity?: PodSecurity;
  /** Ids of the add-ons before it; absent: all that Slipway knows, GitOps left out. */
  after?: string[];
}

export interface OwnManifestOptions {
  from: { url: string } | { file: string };
  /** For objects that name none. */
  namespace?: string;
  after?: string[];
}
