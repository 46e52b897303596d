import type { HelmClient } from "../../clients/helm/index.ts";
import type { KubeClient } from "../../clients/kube/index.ts";
import type { Cluster, SecretRef } from "../../spec/index.ts";
import type { MadeSecret } from "../common/index.ts";

/** What add-ons need of the world. */
export interface AddonWorld {
  /** The API of a cluster, as administrator; undefined before there is one. */
  openKube(cluster: Cluster): Promise<KubeClient | undefined>;
  /** Helm for a cluster, or without one for what needs none. */
  openHelm(cluster: Cluster | undefined, onLine?: (line: string) => void): Promise<HelmClient>;
  /** Where rendered charts are kept, so that a plan can be made without a network. */
  renderFolder: string;
  /** Fetches what the cluster file only refers to. */
  resolveSecret(ref: SecretRef, what: string): Promise<string>;
  /** One of those secrets of a cluster that no file refers to. */
  madeSecret(cluster: Cluster, name: MadeSecret): Promise<string>;
  fetchText(url: string): Promise<string>;
  readText(file: string): Promise<string>;
}
