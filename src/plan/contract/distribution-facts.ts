import type { Cluster, DistributionKind } from "../../spec/index.ts";
import type { Distribution } from "./distribution.ts";

/**
 * A distribution as it declares itself: one folder, and this one value in the list of all. `World` is what it needs of
 * the outside to do its work.
 */
export interface DistributionDeclaration<World> extends DistributionKind {
  /** Files that let a person in, written into the folder of a cluster. */
  accessFiles: AccessFile[];
  /** How it is offered to somebody who has no file yet. Absent: it is not. */
  proposal?: DistributionProposal;
  /** Further files that it writes into the folder of a cluster, and may remove again. */
  isOwnFile?(name: string): boolean;
  /** What it says of a cluster before anybody has asked the cluster itself. */
  facts(cluster: Cluster): DistributionFacts;
  open(world: World): Distribution;
}

export interface DistributionProposal {
  /** As people choose it: `Talos: no SSH, small`. */
  label: string;
  /** Lines of a cluster in the file. */
  lines: string[];
  /** The same for machines that exist: they bring their own system. */
  linesForExisting: string[];
}

/** What others ask of a distribution instead of its name. */
export interface DistributionFacts {
  /** As its makers write it: `Talos`. */
  title: string;
  accessFiles: AccessFile[];
  /** The TCP port at which a node answers before anything else runs on it. */
  answersAt: number;
  /** Absent: SSH leads to a shell on every node. */
  noShell?: { why: string; instead(node: { name: string; address: string }): string };
  /** Absent: no Kubernetes is set up. */
  kubernetes?: KubernetesFacts;
  /** Versions in the file that a running cluster can be brought to, in the order in which that goes. */
  upgrades?: UpgradableVersion[];
}

/** Versions by the names of what they are of. */
export type Versions = Record<string, string | undefined>;

/** A version that the file names. */
export interface UpgradableVersion {
  /** As it is typed behind two dashes. */
  name: string;
  /** Which word of its nodes tells what runs. */
  toldAs: "release" | "kubernetes";
  /** As its makers write it: `Talos`. */
  title: string;
  /** Where it stands below the cluster. */
  path: string[];
  /** What the file says. */
  wanted: string;
  /** Those that this Slipway knows. */
  known: readonly string[];
  /** Less than, equal to or greater than zero. */
  compare(left: string, right: string): number;
  /** The newest that may follow on the oldest that runs, with those that come with it; undefined when there is none. */
  newestAfter(running: Versions, targets: Versions): string | undefined;
}

/** A file that lets a program of the user's own in. */
export interface AccessFile {
  /** In the folder of the cluster: `kubeconfig`. */
  name: string;
  program: string;
  /** The environment variable by which the program finds it. */
  variable: string;
  /** Where the program looks for it otherwise. */
  place: string;
  /** What the program speaks to on every node, beside the port of the Kubernetes API. */
  port?: number;
}

/** Kubernetes as a distribution runs it. */
export interface KubernetesFacts {
  /** As its API and its kubelets call themselves, without a leading v: `1.36.3`, `1.36.3+k3s1`. */
  version: string;
  /** The version of the distribution says it already, and is shown alone. */
  isVersionShared: boolean;
  /** Pods are connected by a part of the distribution itself: there is no agent to look at, and nodes are not Ready without it. */
  hasNetworkInside: boolean;
  /** A VIP is held by a pod on its control planes, so whoever takes over its database and its names takes the address. */
  isVipInPod?: true;
  /** The file of secrets that access is made from. */
  secretsFile: string;
  advice: KubernetesAdvice;
}

/** What to type to see or to mend something, in sentences that end an error. */
export interface KubernetesAdvice {
  kubeletLog(node: string): string;
  restart(node: string): string;
  apiServerLog(node: string): string;
  /** Makes room in etcd and lets it take writes again. */
  shrinkEtcd(node: string): string;
  /** Lets a node join etcd again that was taken out of it. */
  rejoinEtcd(node: string): string;
  /** Shows the addresses on the NICs of nodes. */
  addresses: string;
  /** Where mirrors of registries and logins to them stand in the cluster file. */
  registries: string;
  /** Who brings the cluster's DNS. */
  dns: string;
  /** Another way to lost secrets than a backup; absent where there is none. */
  findSecrets?: string;
}
