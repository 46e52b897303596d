import { digText, type KubeObject } from "../object.ts";
import type { KubeStore } from "../store.ts";
import { refOf } from "../store.ts";
import { fits } from "./nodes.ts";
import { isPodReady, ownedBy, podOf, templateHash, type Workload } from "./owned.ts";

const hashLabel = "controller-revision-hash";

/** One pod on every node that fits; pods of an older template make room for new ones. */
export function runDaemonSet(store: KubeStore, set: Workload, time: string): void {
  const hash = templateHash(set.spec.template);
  const nodes = store
    .list({ apiVersion: "v1", kind: "Node" })
    .filter((node) => fits(node, set.spec.template.spec, true))
    .map((node) => node.metadata.name ?? "");
  const nodeOf = (pod: KubeObject) => digText(pod, "spec", "nodeName");
  const isCurrent = (pod: KubeObject) => pod.metadata.labels?.[hashLabel] === hash;
  for (const pod of ownedBy(store, set, "v1", "Pod"))
    if (!nodes.includes(nodeOf(pod)) || !isCurrent(pod)) store.delete(refOf(pod));
  const placed = new Set(ownedBy(store, set, "v1", "Pod").map(nodeOf));
  for (const nodeName of nodes) if (!placed.has(nodeName)) startOn(store, set, nodeName, hash, time);
  const pods = ownedBy(store, set, "v1", "Pod");
  const ready = pods.filter(isPodReady).length;
  const status = {
    desiredNumberScheduled: nodes.length,
    currentNumberScheduled: pods.length,
    updatedNumberScheduled: pods.filter(isCurrent).length,
    numberMisscheduled: 0,
    numberReady: ready,
    numberAvailable: ready,
    numberUnavailable: nodes.length > ready ? nodes.length - ready : null,
    observedGeneration: set.metadata.generation,
  };
  store.patch(refOf(set), "merge", { status }, { subresource: "status" });
}

function startOn(store: KubeStore, set: Workload, nodeName: string, hash: string, time: string): void {
  const labels = { [hashLabel]: hash };
  const pod = store.create(podOf(set, { generateName: `${set.metadata.name}-`, labels }, { nodeName }));
  const status = { status: { startTime: time } };
  store.patch(refOf(pod), "merge", status, { fieldManager: "kubelet", subresource: "status" });
}
