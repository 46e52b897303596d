import { isSame, stampOf, type KubeObject } from "../../store/object.ts";
import type { Change } from "../../store/storage.ts";
import type { Cluster, Controller } from "../controller.ts";
import { runCronJob } from "./cron-jobs.ts";
import { runDaemonSet } from "./daemon-sets.ts";
import { runDeployment } from "./deployments.ts";
import { runJob } from "./jobs.ts";
import type { Workload } from "./owned-pods.ts";
import { runReplicaSet, runStatefulSet } from "./replicas.ts";

/** Returns after how long to look again. */
type Run = (cluster: Cluster, workload: Workload, time: string) => number | undefined;

const kinds: Record<string, Run> = {
  "apps/v1 Deployment": runDeployment,
  "apps/v1 ReplicaSet": runReplicaSet,
  "apps/v1 StatefulSet": runStatefulSet,
  "apps/v1 DaemonSet": runDaemonSet,
  "batch/v1 Job": runJob,
  "batch/v1 CronJob": runCronJob,
};

const nameOf = ({ apiVersion, kind }: { apiVersion: string; kind: string }): string =>
  `${apiVersion} ${kind}`;

/** Makes and removes pods so that every workload has those it wants, and writes what it has into its status. */
export const workloads: Controller = {
  concerns(change, cluster) {
    const { object } = change;
    const owners = (object.metadata.ownerReferences ?? [])
      .filter((owner) => kinds[nameOf(owner)])
      .map((owner) => owner.uid);
    if (kinds[nameOf(object)] && change.type !== "DELETED") return [object.metadata.uid ?? "", ...owners];
    return isNewsForDaemons(change) ? [...owners, ...daemonSets(cluster)] : owners;
  },
  run(uid, cluster) {
    const workload = cluster.index.byUid(uid);
    if (!workload || workload.metadata.deletionTimestamp !== undefined) return undefined;
    return kinds[nameOf(workload)]?.(cluster, workload as Workload, stampOf(cluster.clock.now()));
  },
};

const isNewsForDaemons = ({ object, before, type, kind }: Change): boolean =>
  kind.kind === "Node" &&
  kind.group === "" &&
  (type === "DELETED" ||
    before === undefined ||
    !isSame(before["spec"], object["spec"]) ||
    !isSame(before.metadata.labels, object.metadata.labels));

const daemonSets = ({ store }: Cluster): string[] =>
  store.list({ apiVersion: "apps/v1", kind: "DaemonSet" }).map((set: KubeObject) => set.metadata.uid ?? "");
