import { digText, type KubeObject } from "../../store/object.ts";
import { refOf } from "../../store/store.ts";
import type { Cluster } from "../controller.ts";
import { whyUnfit } from "../nodes/node-fit.ts";
import {
  createPod,
  isPodReady,
  ownedBy,
  podOf,
  refusedAgainMs,
  templateHash,
  type Workload,
} from "./owned-pods.ts";
import { byKubelet } from "../nodes/schedule.ts";

const hashLabel = "controller-revision-hash";

/** One pod on every node that fits; pods of an older template make room for new ones. */
export function runDaemonSet(cluster: Cluster, set: Workload, time: string): number | undefined {
  const { store } = cluster;
  const hash = templateHash(set.spec.template);
  const nodes = new Set(
    store
      .list({ apiVersion: "v1", kind: "Node" })
      .filter((node) => whyUnfit(node, set.spec.template.spec, true) === undefined)
      .map((node) => node.metadata.name ?? ""),
  );
  const nodeOf = (pod: KubeObject) => digText(pod, "spec", "nodeName");
  const isCurrent = (pod: KubeObject) => pod.metadata.labels?.[hashLabel] === hash;
  for (const pod of ownedBy(cluster, set, "Pod"))
    if (!nodes.has(nodeOf(pod)) || !isCurrent(pod)) store.delete(refOf(pod));
  const placed = new Set(ownedBy(cluster, set, "Pod").map(nodeOf));
  const missing = [...nodes].filter((name) => !placed.has(name));
  const refused = missing.findIndex((nodeName) => !startOn(cluster, set, nodeName, hash, time));
  const pods = ownedBy(cluster, set, "Pod");
  const ready = pods.filter(isPodReady).length;
  const status = {
    desiredNumberScheduled: nodes.size,
    currentNumberScheduled: pods.length,
    updatedNumberScheduled: pods.filter(isCurrent).length,
    numberMisscheduled: 0,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: nodes.size > ready ? nodes.size - ready : null,
    observedGeneration: set.metadata.generation,
  };
  store.patch(refOf(set), "merge", { status }, { subresource: "status" });
  return refused === -1 ? undefined : refusedAgainMs;
}

function startOn(cluster: Cluster, set: Workload, nodeName: string, hash: string, time: string): boolean {
  const labels = { [hashLabel]: hash };
  const pod = createPod(
    cluster,
    set,
    podOf(set, { generateName: `${set.metadata.name}-`, labels }, { nodeName }),
  );
  if (pod) cluster.store.patch(refOf(pod), "merge", { status: { startTime: time } }, byKubelet);
  return pod !== undefined;
}
