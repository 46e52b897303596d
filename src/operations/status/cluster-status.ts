import type { AddonStatus } from "../../addons/steps/index.ts";
import type { FieldChange } from "../../plan/index.ts";
import type { Role } from "../../spec/index.ts";
import type { BackupStatus } from "../backups/backup-status.ts";
import type { NodeUsage } from "./usage.ts";

export type NodeState = "Ready" | "Not Ready" | "Unreachable" | "Stopped" | "Missing";
export type ClusterState = "Ready" | "Degraded" | "Unreachable" | "Absent" | "Leftover";

export interface NodeStatus {
  node: string;
  role: Role;
  state: NodeState;
  address: string;
  host?: string | undefined;
  vmid?: number | undefined;
  /** What the node says it runs: `Talos 1.13.9`, `Debian GNU/Linux 12 (bookworm), K3s 1.36.3`. */
  software?: string | undefined;
  /** The distribution alone. */
  release?: string | undefined;
  /** Of its kubelet. */
  kubernetes?: string | undefined;
  /** It takes no new pods. */
  isCordoned?: boolean | undefined;
  /** Where its machine or its config is not as the file says; absent where they are, or nothing is known. */
  differs?: FieldChange[] | undefined;
  usage?: NodeUsage | undefined;
  /** What is worth knowing, such as why it is unreachable. */
  know?: string | undefined;
}

/** What its nodes say they run, each version once. */
export interface ClusterVersions {
  /** `Talos`, `K3s`. */
  distribution: string;
  releases: string[];
  /** Of the kubelets. */
  kubernetes: string[];
}

export interface ClusterStatus {
  cluster: string;
  state: ClusterState;
  ready: number;
  nodes: NodeStatus[];
  /** `Talos 1.13.9  K8s 1.36.3`, for people. */
  version: string;
  /** Absent where no node answers. */
  versions?: ClusterVersions | undefined;
  /** Absent where the API does not answer, or there is none. */
  addons?: AddonStatus[] | undefined;
  /** Of files, servers and authorities, the first to end first; absent where none can be seen. */
  certificates?: CertificateStatus[] | undefined;
  know?: string | undefined;
  /** Where the file says how old the newest may be. */
  backup?: BackupStatus | undefined;
}

/** How long a certificate lives, and what makes it anew. */
export interface CertificateStatus {
  name: string;
  expires: string;
  daysLeft: number;
  renew: string;
}
