import type { Position } from "../../errors/index.ts";
import type { SecretRef } from "../model/secret.ts";

/** Where a chart comes from. Paths are relative to the cluster file. */
export type ChartSource = { oci: string } | { repository: string; name: string } | { path: string };

/** Who keeps an add-on as it should be from now on. */
export type AddonOwner = "slipway" | "gitops";

/** An add-on of a cluster. What its options mean only its own folder knows; everybody else asks for its facts. */
export interface Addon<Options = unknown> {
  /** Of its kind: `cilium`, or `chart` and `manifest` for the user's own. */
  name: string;
  /** Unique in its cluster: the name of a known add-on, the user's own name for a chart or manifests. */
  id: string;
  /** Complete: what the file leaves out is filled in. */
  options: Options;
  /** What others may want to know of it. */
  facts: AddonFacts;
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

/** What an add-on means for the rest of its cluster: plain data, so that a plan can carry it. Absent: not so. */
export interface AddonFacts {
  /** Pods can talk to each other only once it works. */
  connectsPods?: true | undefined;
  /** It leads to services in place of kube-proxy. */
  replacesKubeProxy?: true | undefined;
  /** Addresses it gives to services of type LoadBalancer. */
  serviceAddresses?: AddressRange[] | undefined;
  /** Which version of Gateway API it is built with, by the line of its own: `1.19`. Absent there: the newest. */
  gatewayApi?: Record<string, string> | undefined;
  storageClasses?: StorageClass[] | undefined;
  /** Its volumes are bound to zones, so nodes have to know theirs. */
  needsZones?: true | undefined;
  /** What has to be in the system of the machines. */
  machines?: { extensions: string[]; packages: string[] } | undefined;
  /** It lets kubelets have serving certificates. */
  approvesServingCertificates?: true | undefined;
  /** New nodes wait for it: it tells Kubernetes which machine each of them is, with the cluster's own account. */
  isCloudController?: true | undefined;
  /** Add-ons it cannot work without; they come along. */
  dependencies?: string[] | undefined;
  /** It keeps the cluster as a Git repository says, so everything else comes before it. How people call it. */
  gitOps?: string | undefined;
  /** Other clusters register with it under this name. */
  managesClusters?: { hostname: string } | undefined;
  /** The user's own: what is in it, nobody knows here. */
  isOwn?: true | undefined;
  /** Ids of the add-ons that the file puts before it. */
  comesAfter?: string[] | undefined;
}

/** Addresses for services: both ends belong to it. */
export interface AddressRange {
  start: string;
  stop: string;
}

export interface StorageClass {
  name: string;
  isDefault: boolean;
  /** What its volumes are good for at most. */
  access: "ReadWriteOnce" | "ReadWriteMany";
}

export type PodSecurity = "privileged" | "baseline" | "restricted";
