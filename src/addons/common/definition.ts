import type { KubeClient, Manifest } from "../../clients/kube/index.ts";
import type { Clock, Limits, Random } from "../../lib/index.ts";
import type { Seen } from "../../plan/index.ts";
import type { SecretFiles } from "../../secrets/index.ts";
import type { Addon, AddonKind, ChartSource, Cluster, SecretRef, WrittenOptions } from "../../spec/index.ts";
import type { StandIn } from "./stand-in/index.ts";

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
 * account, as text; all others are of an add-on, which makes them itself: `rancher/password`.
 */
export type MadeSecret = "cloudAccount" | `${string}/${string}`;

/** What an add-on needs to make secrets. */
export interface SecretKit {
  files: SecretFiles;
  clock: Pick<Clock, "now">;
  random: Random;
}

export interface AddonSecrets<Options = unknown> {
  /** Found, or made when it is first asked for. `name` is without the add-on's own. */
  text(name: string, addon: Addon<Options>, cluster: Cluster): Promise<string>;
}

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
  namespace?: string | undefined;
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
  secrets?: SecretPlace[] | undefined;
}

/** What an add-on is made of, in the order it is made; it goes in the reverse order. */
export type AddonPart = ObjectsPart | BundlePart | ReleasePart;

export type WorkloadKind = "Deployment" | "DaemonSet" | "StatefulSet";

/** An object one of whose conditions tells that it works. */
export interface AwaitedObject {
  apiVersion: string;
  kind: string;
  name: string;
  namespace?: string | undefined;
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

/** What an add-on knows when it says what it is made of. */
export interface AddonInput<Options = unknown> {
  addon: Addon<Options>;
  cluster: Cluster;
  version: string;
  /** All add-ons of the cluster, those brought along by others too. */
  names: ReadonlySet<string>;
}

/** How an add-on is made and when it works. All but `prove` and `beforeRemoval` is pure. */
export interface AddonInstallation<Options = unknown> {
  parts(input: AddonInput<Options>): AddonPart[];
  readiness(input: AddonInput<Options>): Readiness;
  /** Whether it does what it is there for, beyond its pods being ready. */
  prove?(kube: KubeClient, input: AddonInput<Options>, limits: Limits): Promise<Seen<string>>;
  /** What has to be done before its parts can go, e.g. a confirmation its makers ask for. */
  beforeRemoval?(kube: KubeClient, signal: AbortSignal): Promise<void>;
  /** For those whose parts name secrets of their own making. */
  openSecrets?(kit: SecretKit): AddonSecrets<Options>;
}

/** One add-on: what a file may say of it, where it stands among others, and how it comes to be. */
export interface AddonDefinition<
  Written extends WrittenOptions = WrittenOptions,
  Options = unknown,
> extends AddonKind<Written, Options> {
  /** How its makers spell it, where that is not the name: `MetalLB`. */
  title?: string;
  /** It is nothing but kinds: it need not wait for the pods' network. */
  hasNoPods?: true;
  /** Names of add-ons that come before it, where a cluster has them. */
  after?: string[];
  /** What is gone for good with it, said in the plan; somebody has to agree to it first: `every volume it holds`. */
  loses?: string;
  /** What its removal means where nothing is lost for good: `volumes cannot be reached until it is back`. */
  leaves?: string;
  /** Loaded once somebody plans with it: a look at a file needs none of it. */
  install(): Promise<AddonInstallation<Options>>;
  /** What stands for it in a rehearsal. Left out: whatever chart it asks for is one workload. */
  standIn?(): Promise<StandIn>;
}

/** Keeps what is written, the options and all that reads them in step. */
export const defineAddon = <Written extends WrittenOptions, Options>(
  definition: AddonDefinition<Written, Options>,
): AddonDefinition<Written, Options> => definition;
