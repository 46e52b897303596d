import { stampOf } from "../object.ts";
import type { KubeStore } from "../store.ts";
import { concernedWith, type Controller } from "./controller.ts";
import { runDaemonSet } from "./daemon-sets.ts";
import { runDeployment } from "./deployments.ts";
import type { Workload } from "./owned.ts";
import { runJob, runReplicaSet, runStatefulSet } from "./replicas.ts";

const kinds: [
  apiVersion: string,
  kind: string,
  run: (store: KubeStore, workload: Workload, time: string) => void,
][] = [
  ["apps/v1", "Deployment", runDeployment],
  ["apps/v1", "ReplicaSet", runReplicaSet],
  ["apps/v1", "StatefulSet", runStatefulSet],
  ["apps/v1", "DaemonSet", runDaemonSet],
  ["batch/v1", "Job", runJob],
];

/** Makes and removes pods so that every workload has those it wants, and writes what it has into its status. */
export const workloads: Controller = {
  isConcerned: concernedWith("Pod", "Node", ...kinds.map(([, kind]) => kind)),
  run(store, clock) {
    for (const [apiVersion, kind, run] of kinds)
      for (const workload of store.list({ apiVersion, kind }))
        if (workload.metadata.deletionTimestamp === undefined)
          run(store, workload as Workload, stampOf(clock.now()));
    return undefined;
  },
};
