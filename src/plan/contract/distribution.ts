import type { Cluster, Node, Role } from "../../spec/index.ts";
import type { Check } from "../check.ts";
import type { BareMachines } from "./bare-machines.ts";
import type { MachinePlace } from "./console.ts";
import type { Recovery } from "./recovery.ts";
import type { StepId } from "../events.ts";
import type { AnyResource, Graph, GraphNode, StepContext } from "../resource.ts";

/** What the distribution must know of the machines its nodes run on. */
export interface MachineSteps {
  /** The step that makes the machine of a node. */
  stepOf(node: string): StepId;
  /** Where the machine of a node is, or will be. */
  placeOf(node: string): Pick<MachinePlace, "host" | "id">;
  /** Nodes whose machine was there before this run: they may hold a cluster already. */
  existing: string[];
  /** The step that connects the pods, where the distribution itself does not: nodes are not Ready before it. */
  networkStep?: StepId;
  /** Its database is lost and comes from a backup; absent: it has one, or is founded. */
  recovery?: Recovery | undefined;
}

/** The database of a running cluster, read as it comes. */
export interface ClusterDatabase {
  /** Tells about how large it will be before it begins, where that is known. */
  read(onSize: (sizeBytes: number) => void): AsyncIterable<Uint8Array>;
  /** A stream that was cut looks like one that has ended; what is then wrong with the snapshot is told by this. */
  broken(why: string): Error;
}

/** A node that leaves the cluster, for good or to be made again. */
export interface LeftoverNode {
  node: string;
  role: Role;
  /** Its machine does not run, or is gone already. */
  isOff?: boolean;
  /** It is made again in the same plan. */
  comesBack?: true;
}

/** What a node shows at a glance; a field is missing when nobody could tell. */
export interface QuickStatus {
  /** `Talos 1.13.9`, `Debian GNU/Linux 12 (bookworm)`. */
  software?: string | undefined;
  /** The distribution and its version alone, as the node tells it: `Talos 1.13.9`, `K3s 1.36.3`. */
  release?: string | undefined;
  /** Of its kubelet, as it told Kubernetes. */
  kubernetes?: string;
  /** Why the node itself did not answer. */
  unreachableBecause?: string | undefined;
  /** Kubernetes knows it, and whether it is Ready. */
  isReady?: boolean;
  /** It takes no new pods. */
  isCordoned?: boolean | undefined;
}

/** What a cluster knows of a node without asking the node. */
export interface RememberedNode {
  isReady: boolean;
  /** The place its machine was in, by the label Kubernetes has. */
  zone?: string | undefined;
  /** Its database counts on it, and would count a second one of that name beside it. */
  isMember?: true;
}

/** What a node tells when it is inspected closely, to find the cause of a problem. */
export interface NodeInspection {
  node: string;
  /** ours: it answers us · unconfigured: it waits for its first config · foreign: it runs with secrets that are not ours. */
  state: "ours" | "unconfigured" | "foreign" | "unreachable";
  /** Why it did not answer. */
  unreachableBecause?: string | undefined;
  /** Parts of its system that do not do their work, each with what it says. */
  complaints: { part: string; why: string }[];
  /** Addresses it holds now, also those it shares with others. */
  addresses: string[];
  /** How far its clock is ahead of the time it is held against; behind when negative. */
  clockAheadMs?: number | undefined;
  /** Why its clock is not known. */
  clockUnknownBecause?: string;
  /** Its database, on nodes that keep a part of the cluster's. */
  database?: DatabaseInspection | undefined;
}

export interface DatabaseInspection {
  /** Names of the members it knows; empty when it did not answer. */
  members: string[];
  alarms: string[];
  /** Why its alarms are not known, though it answers. */
  alarmsUnknownBecause?: string | undefined;
  /** Why it does not answer. */
  unreachableBecause?: string | undefined;
  /** It waits to be founded, or to be let in by others. */
  isWaiting?: true | undefined;
}

export interface DatabaseSize {
  members: number;
  /** Of the largest copy. */
  sizeBytes: number;
}

/** A log of a node; one that could not be had says why. */
export interface NodeLog {
  node: string;
  /** As a file would be called: `kubelet.log`. */
  name: string;
  text: string;
}

/** The exchange of an authority, as somebody asked for it. */
export interface CaRotationWanted {
  /** As typed: `talos`, `kubernetes`. */
  ca: string;
  /** The old one is dropped too; else the rotation ends where both are accepted. */
  finishes: boolean;
}

/** What of a running cluster is made anew in one go, beside its authorities and the files of people. */
export type RenewablePart = "certificates" | "tokens" | "encryption-keys";

/** What it takes: steps that tell their stage in their facts, in the order of the stages. */
export interface RotationSteps {
  /** `Talos API CA`. */
  title: string;
  steps: Graph;
  /** What somebody should know before, in words. */
  warnings: string[];
}

/** Until when a cluster can be used and runs, as far as certificates decide it. */
export interface CertificateLives {
  certificates: CertificateLife[];
  /** Exchanges of authorities that have begun, in words, with what goes on with them. */
  rotations: string[];
}

export interface CertificateLife {
  /** `kubeconfig`, `Kubernetes API on cp-1`, `etcd CA`. */
  name: string;
  /** Milliseconds since 1970. */
  expiresMs: number;
  /** What renews it. */
  renew: string;
}

/** Secrets that were read back from a running cluster. */
export interface RecoveredSecrets {
  file: string;
  /** False when they lay there already. */
  isNew: boolean;
  /** Nodes that have let in whoever has them. */
  provenBy: string[];
}

/** A credential that was issued anew. */
export interface RenewedCredential {
  /** `kubeconfig`. */
  credential: string;
  /** Where it lies. */
  file: string;
  /** What becomes of the one before, in words. */
  old: string;
}

/** How machines become a cluster. */
export interface Distribution {
  resources: AnyResource[];
  /** Machines that are there already; absent: it runs on none. */
  bareMachines?: BareMachines | undefined;
  /** Secrets, node configs, etcd, API and readiness of a cluster, as graph nodes. */
  describe(cluster: Cluster, machines: MachineSteps): Promise<Graph>;
  /** The step after which the Kubernetes API answers; undefined where there is none. */
  apiStep(cluster: Cluster): StepId | undefined;
  /** Access as administrator, in the words of kubectl; undefined before there are secrets to make it from. */
  kubeconfig(cluster: Cluster): Promise<string | undefined>;
  /** The step after which the system of a node stands on its own disk. */
  installedStep(cluster: Cluster, node: string): StepId;
  /** The step after which the config of a node is known; undefined where it does not travel on the node's seed. */
  seedStep(cluster: Cluster): StepId | undefined;
  /** What the config on the seed of each new node is rendered from when its machine is made; plain, by node. */
  firstConfigs?(cluster: Cluster, described: Graph): ReadonlyMap<string, unknown>;
  /** The config with which a node starts, rendered from what `firstConfigs` says of it. */
  firstConfig?(cluster: Cluster, from: unknown): Promise<string>;
  /** What nodes that leave the cluster have to leave behind, before or after their machine is gone. */
  describeLeftovers(cluster: Cluster, leaving: LeftoverNode[], machineStep: (node: string) => StepId): Graph;
  /** Lets a node boot the system it ran before its last upgrade; absent where nodes keep none. */
  rollbackStep?(cluster: Cluster, node: Node): GraphNode | undefined;
  /** What must be true before anything is changed; `existing` are the nodes that have a machine already. */
  preflight(cluster: Cluster, existing: string[]): Check[];
  /** What a healthy cluster shows, each as a named check. */
  health(cluster: Cluster): Check[];
  /** Nodes that do their work right now: control planes whose etcd is whole, workers that are Ready. Never fails. */
  healthyNodes(cluster: Cluster): Promise<Set<string>>;
  /** The node whose member leads the cluster's database; undefined when nobody can tell. Never fails. */
  leader?(cluster: Cluster): Promise<string | undefined>;
  /** Lets another node lead the cluster's database before this one goes. */
  handOver?(ctx: StepContext, cluster: Cluster, node: string): Promise<void>;
  /** A quick look at every node by name. Never fails; what does not answer is told as such. */
  status(cluster: Cluster, signal: AbortSignal): Promise<Map<string, QuickStatus>>;
  /** All nodes that the running cluster knows, by name; none when none answers. Never fails. */
  remember(cluster: Cluster, signal: AbortSignal): Promise<Map<string, RememberedNode>>;
  /** A close look at every node by name. Reads only, and never fails; each node has a few seconds. */
  inspect(cluster: Cluster, signal: AbortSignal): Promise<Map<string, NodeInspection>>;
  /** What the nodes say about themselves, as far as they answer. Reads only, and never fails. */
  logs(cluster: Cluster, signal: AbortSignal): Promise<NodeLog[]>;
  /** The text of an access file beside the kubeconfig, for programs that speak to these endpoints; undefined before there are secrets. */
  accessFile?(cluster: Cluster, name: string, endpoints: string[]): Promise<string | undefined>;
  /** The database of a cluster as one of its control planes holds it now; undefined where it has none that a backup would need. */
  readDatabase?(cluster: Cluster, node: string, signal: AbortSignal): ClusterDatabase | undefined;
  /** The steps that exchange an authority of a running cluster, from wherever that stands; `described` is what `describe` said. */
  describeCaRotation?(cluster: Cluster, described: Graph, wanted: CaRotationWanted): Promise<RotationSteps>;
  /** The same for what is made anew in one go; refuses what it has not, with the reason. */
  describeRenewal?(cluster: Cluster, described: Graph, part: RenewablePart): Promise<RotationSteps>;
  /** The secrets of another cluster for a copy of it: the same, but for what would let the nodes of both find each other. */
  copySecrets?(copy: Cluster, text: string): string;
  /** How large the database of a running cluster is, and how many members it has. Reads only, and never fails. */
  measureDatabase?(cluster: Cluster, signal: AbortSignal): Promise<DatabaseSize | undefined>;
  /** Of all certificates that people or nodes depend on and that can be seen. Reads only, and never fails. */
  certificates?(cluster: Cluster, signal: AbortSignal): Promise<CertificateLives>;
  /**
   * Reads lost secrets back from a running control plane, with the credential that is left, tries them on the cluster, and
   * then writes them. Others that lie there are never replaced. `credential` is the text of a file that somebody names.
   */
  recoverSecrets?(
    cluster: Cluster,
    credential: { text: string; file: string } | undefined,
  ): Promise<RecoveredSecrets>;
  /** Issues the access files anew. The cluster is asked with them before they take the place of those there are. */
  renewAccess?(cluster: Cluster): Promise<RenewedCredential[]>;
  /** What a person needs to use the cluster: files and addresses, by name. */
  outputs(cluster: Cluster): Record<string, string>;
}
