import { digList, digText, type KubeObject } from "../../store/object.ts";
import { networkNotReady, setNodeReady } from "../../kubelet/node.ts";
import { missNode } from "../../kubelet/kubelet.ts";
import type { Cluster, Controller } from "../controller.ts";
import { isReady } from "./node-fit.ts";
import { hasNetwork, isNetworkPod } from "../network/pod-network.ts";

/** A node whose kubelet runs is ready once somebody brought it a network, and stays so: the config remains on its disk. */
export const nodeReadiness: Controller = {
  concerns({ object, kind, type }) {
    if (kind.group !== "" || type === "DELETED") return [];
    if (kind.kind === "Node") return [object.metadata.name ?? ""];
    return kind.kind === "Pod" && isNetworkPod(object) ? [digText(object, "spec", "nodeName")] : [];
  },
  run(name, cluster) {
    const { store, runtime, faults, clock } = cluster;
    const kubelet = runtime.kubelets.get(name);
    const node = store.find({ apiVersion: "v1", kind: "Node", name });
    if (!node) return undefined;
    if (!kubelet) return isReady(node) ? miss(name, cluster) : undefined;
    const fault = faults.find("node-not-ready", { node: name });
    const why = fault
      ? (fault.message ?? "PLEG is not healthy: pleg was last seen active 3m0s ago")
      : undefined;
    if (why !== undefined) {
      if (isReady(node) || reasonOf(node) !== why) setNodeReady(store, name, false, { message: why });
      return undefined;
    }
    if (isReady(node)) return undefined;
    if (!hasNetwork(cluster, name)) {
      if (reasonOf(node) !== networkNotReady) setNodeReady(store, name, false);
      return undefined;
    }
    const leftMs = kubelet.readyAtMs - clock.now();
    if (leftMs > 0) return leftMs;
    setNodeReady(store, name, true);
    return undefined;
  },
};

/** Only those that came back with a snapshot: others are as somebody set them. */
function miss(name: string, { store, runtime, clock }: Cluster): number | undefined {
  const atMs = runtime.missedAtMs.get(name);
  if (atMs === undefined) return undefined;
  if (clock.now() < atMs) return atMs - clock.now();
  missNode(store, name);
  return undefined;
}

const reasonOf = (node: KubeObject): string =>
  digText(
    digList(node, "status", "conditions").find((item) => digText(item, "type") === "Ready"),
    "message",
  );
