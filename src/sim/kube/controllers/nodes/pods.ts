import { dig, digText, isSame, type KubeObject } from "../../store/object.ts";
import type { Change } from "../../store/storage.ts";
import { refOf } from "../../store/store.ts";
import { keyOf, refAt, type Cluster, type Controller } from "../controller.ts";
import { hasCondition } from "./node-fit.ts";
import { isNetworkPod } from "../network/pod-network.ts";
import { runPod } from "../../kubelet/run-pod.ts";
import { schedulePod } from "./schedule.ts";

/** Scheduler and kubelets in one: places pods on nodes that fit, and runs them there. */
export const pods: Controller = {
  concerns: (change, cluster) => concernedPods(change, cluster).map(keyOf),
  run(key, cluster) {
    const { store } = cluster;
    const pod = store.find(refAt("v1", "Pod", key));
    if (!pod || pod.metadata.deletionTimestamp !== undefined || isStatic(pod) || isOver(pod))
      return undefined;
    const nodeName = digText(pod, "spec", "nodeName");
    if (nodeName === "") {
      schedulePod(cluster, pod);
      return undefined;
    }
    const node = store.find({ apiVersion: "v1", kind: "Node", name: nodeName });
    if (node) return runPod(cluster, pod, node);
    // As the real pod collector does: a pod of a node that no longer exists is nobody's.
    store.delete(refOf(pod));
    return undefined;
  },
};

/** Pods of the node itself, which it runs without being told. */
const isStatic = (pod: KubeObject): boolean =>
  pod.metadata.annotations?.["kubernetes.io/config.mirror"] !== undefined;

const isOver = (pod: KubeObject): boolean => /^(Succeeded|Failed)$/.test(digText(pod, "status", "phase"));

const isWaiting = (pod: KubeObject): boolean => digText(pod, "status", "phase") === "Pending";

function concernedPods(change: Change, { index }: Cluster): KubeObject[] {
  const { object, kind, type } = change;
  const { name = "", namespace } = object.metadata;
  const waitingHere = () => index.inNamespace("v1", "Pod", namespace).filter(isWaiting);
  if (kind.group !== "") return [];
  switch (kind.kind) {
    case "Pod": {
      // FreeCapacity that somebody left may be what another waited for.
      if (type === "DELETED") return index.podsOn("");
      const bringsNetwork = isNetworkPod(object) && hasCondition(object, "Ready");
      return bringsNetwork
        ? [object, ...index.podsOn(digText(object, "spec", "nodeName")).filter(isWaiting)]
        : [object];
    }
    case "Node":
      if (type === "DELETED") return index.podsOn(name);
      return isNewsForPods(change) ? [...index.podsOn(""), ...index.podsOn(name).filter(isWaiting)] : [];
    case "PersistentVolumeClaim":
    case "ConfigMap":
    case "Secret":
      return type === "DELETED" || isSameBinding(change) ? [] : waitingHere();
    default:
      return [];
  }
}

/** Heartbeats are not; labels, taints, a cordon and readiness are. */
const isNewsForPods = ({ object, before }: Change): boolean =>
  before === undefined ||
  !isSame(before["spec"], object["spec"]) ||
  !isSame(before.metadata.labels, object.metadata.labels) ||
  hasCondition(before, "Ready") !== hasCondition(object, "Ready");

const isSameBinding = ({ object, before }: Change): boolean =>
  before !== undefined && dig(before, "status", "phase") === dig(object, "status", "phase");
