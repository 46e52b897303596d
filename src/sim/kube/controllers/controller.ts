import type { Reply } from "../api/request.ts";
import type { Outcome } from "../kubelet/runtime.ts";
import type { Clock } from "../../../lib/index.ts";
import type { ClusterFaults } from "../../cluster-faults.ts";
import type { ClusterIndex } from "../store/cluster-index.ts";
import type { KubeObject, ObjectRef } from "../store/object.ts";
import type { Runtime } from "../kubelet/runtime.ts";
import type { Change } from "../store/storage.ts";
import type { KubeStore } from "../store/store.ts";

/** How long nodes take for what they do. */
export interface PodTimes {
  imagePullMs: number;
  podStartMs: number;
}

/** Everything a controller sees and may touch. */
export interface Cluster {
  store: KubeStore;
  clock: Clock;
  index: ClusterIndex;
  faults: ClusterFaults;
  runtime: Runtime;
  times: PodTimes;
  /** What is around it, other clusters included. */
  site: Site;
}

/** What the clusters of one datacenter see of each other, and of the DNS around them. */
export interface Site {
  /** What the DNS servers of the site answer, by name. */
  names: Map<string, string[]>;
  /** Clusters of which an API server runs. */
  clusters: Set<Cluster>;
  /** What may be installed into the clusters and does something there. */
  programs: ClusterProgram[];
}

/** What programs that are installed into a simulated cluster do there once their pods run. */
export interface ClusterProgram {
  controllers?: Controller[];
  /** By the name of the command: what containers of it do when they run to their end. */
  commands?: Record<string, (store: KubeStore, args: string[]) => { exitCode: number; text: string }>;
  /** How a container of it ends, whatever its command; undefined for those of others. */
  runContainer?(cluster: Cluster, pod: KubeObject, container: unknown): Outcome | undefined;
  /** The page at `path` of a service of it; undefined for those of others. */
  answerService?(store: KubeStore, service: KubeObject, path: string): Reply | undefined;
  /** Pods that make volumes, by the driver's name, where they do not carry that name themselves. */
  provisioners?: Record<string, RegExp>;
  /** Kinds whose objects hold addresses for services. */
  addressPools?: { apiVersion: string; kind: string }[];
}

/** Works on one thing at a time, named by a key of its own making, and only when something about it changed. */
export interface Controller {
  /** What has to be looked at after a change. At the start every object comes as added. */
  concerns(change: Change, cluster: Cluster): string[];
  /** Takes every step that is due. Returns after how many milliseconds to look again though nothing changed. */
  run(key: string, cluster: Cluster): number | undefined;
}

/** Keys of namespaced objects of one kind: `namespace/name`. */
export const keyOf = ({ metadata }: KubeObject): string =>
  `${metadata.namespace ?? ""}/${metadata.name ?? ""}`;

export function refAt(apiVersion: string, kind: string, key: string): ObjectRef {
  const [namespace = "", name = ""] = key.split("/");
  return { apiVersion, kind, name, namespace: namespace || undefined };
}
