import type { KubeClient, Manifest } from "../clients/kube/index.ts";
import type { Seen } from "../plan/index.ts";
import type { Addon, AddonName, AddonVersion, ChartSource, Cluster, SecretRef } from "../spec/index.ts";

/** A secret text, and the field it belongs into when the time comes. Until then only the reference is known. */
export interface SecretPlace {
  /** From the top of the values or of the object: `["config", "clusters"]`. */
  path: string[];
  secret: SecretRef | MadeSecret;
  /** Not the text, but a mark that changes with it and tells nothing about it: pods restart when it does. */
  isMark?: true;
}

/**
 * Made by Slipway and kept with the cluster's secrets. `cloudAccount` is the config file of the cluster's own Proxmox
 * account, as text.
 */
export type MadeSecret =
  | "cloudAccount"
  | "rancherPassword"
  | "rancherAuthority"
  | "rancherCertificate"
  | "rancherKey";

/** What is seen first, before a part is made: kinds that an operator registers by itself. */
interface Awaiting {
  awaits?: AwaitedObject[];
}

/** Objects applied as they stand. */
export interface ObjectsPart extends Awaiting {
  kind: "objects";
  /** Within its add-on: `namespace`, `pools`. */
  name: string;
  objects: { manifest: Manifest; secrets?: SecretPlace[] }[];
  /** They stay when the add-on goes, because others may use them. */
  isKept?: true;
  /** They stay Slipway's after a hand-over, because only Slipway knows what is in them. */
  isAlwaysOurs?: true;
}

/** Manifests found elsewhere: many objects in one text. */
export interface BundlePart extends Awaiting {
  kind: "bundle";
  name: string;
  from: { url: string } | { file: string };
  /** For objects that name none. */
  namespace?: string;
  isKept?: true;
}

/** A chart, installed as a release. */
export interface ReleasePart extends Awaiting {
  kind: "release";
  /** The release's name. */
  name: string;
  namespace: string;
  chart: ChartSource;
  version: string;
  values: Record<string, unknown>;
  secrets?: SecretPlace[];
}

/** What an add-on is made of, in the order it is made; it goes in the reverse order. */
export type AddonPart = ObjectsPart | BundlePart | ReleasePart;

export type WorkloadKind = "Deployment" | "DaemonSet" | "StatefulSet";

/** An object one of whose conditions tells that it works. */
export interface AwaitedObject {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string;
  /** `Ready`, `Available`, `Established`. */
  condition: string;
}

export interface Workload {
  kind: WorkloadKind;
  namespace: string;
  name: string;
}

/** What must be seen before an add-on counts as installed. */
export interface Readiness {
  /** None: all that it is made of. */
  workloads: Workload[];
  objects?: AwaitedObject[];
}

/** What a definition knows when it says what it is made of. */
export interface AddonInput<A extends Addon = Addon> {
  addon: A;
  cluster: Cluster;
  version: string;
  /** All add-ons of the cluster, those brought along by others too. */
  names: ReadonlySet<AddonName>;
}

/** One add-on: what it is made of and when it works. All but `prove` is pure. */
export interface AddonDefinition<A extends Addon = Addon> {
  name: AddonName;
  /** Newest first; the first that was tested with the cluster's Kubernetes is taken. None: the file says which. */
  versions: readonly AddonVersion[];
  /** Pods can talk to each other only once it works. */
  isNetwork?: true;
  /** It is nothing but kinds: it need not wait for the pods' network. */
  hasNoPods?: true;
  /** They come before it, where a cluster has them. */
  after?: AddonName[];
  /** It cannot work without these, so they come along. */
  brings?: AddonName[];
  parts(input: AddonInput<A>): AddonPart[];
  readiness(input: AddonInput<A>): Readiness;
  /** Whether it does what it is there for, beyond its pods being ready. */
  prove?(kube: KubeClient, input: AddonInput<A>, signal: AbortSignal): Promise<Seen<string>>;
  /** What has to be done before its parts can go, e.g. a confirmation its makers ask for. */
  beforeRemoval?(kube: KubeClient, signal: AbortSignal): Promise<void>;
  /** What is gone for good with it, said in the plan; somebody has to agree to it first: `every volume it holds`. */
  loses?: string;
  /** What its removal means where nothing is lost for good: `volumes cannot be reached until it is back`. */
  leaves?: string;
}

/** Keeps the kind of options of a definition in step while it is written. */
export const defineAddon = <A extends Addon>(definition: AddonDefinition<A>): AddonDefinition<A> =>
  definition;
