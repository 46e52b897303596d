import type { Clock } from "../../../lib/index.ts";
import type { ClusterFaults } from "../../cluster-faults.ts";
import type { ClusterIndex } from "../cluster-index.ts";
import type { KubeObject, ObjectRef } from "../object.ts";
import type { Runtime } from "../runtime.ts";
import type { Site } from "../site.ts";
import type { Change } from "../storage.ts";
import type { KubeStore } from "../store.ts";

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
  return { apiVersion, kind, name, ...(namespace !== "" && { namespace }) };
}
