import type { Clock } from "../../../lib/index.ts";
import { dig, digList, digText, stampOf, type Fields, type KubeObject } from "../object.ts";
import type { KubeStore } from "../store.ts";
import { refOf } from "../store.ts";
import { concernedWith, type Controller } from "./controller.ts";
import { fits, isReady, type Placement } from "./nodes.ts";

/** From being placed on a node until ready: pulling the image and starting. */
const startMs = 2_000;

/** Scheduler and kubelets in one: places pods on nodes that fit, and lets them become ready there. */
export const pods: Controller = {
  isConcerned: concernedWith("Pod", "Node"),
  run(store, clock) {
    const nodes = store.list({ apiVersion: "v1", kind: "Node" });
    let againMs: number | undefined;
    for (const pod of store.list({ apiVersion: "v1", kind: "Pod" })) {
      const waitMs = advance(store, clock, nodes, pod);
      if (waitMs !== undefined) againMs = Math.min(againMs ?? waitMs, waitMs);
    }
    return againMs;
  },
};

/** One step for one pod; returns how long until its next one. */
function advance(store: KubeStore, clock: Clock, nodes: KubeObject[], pod: KubeObject): number | undefined {
  const placement = pod["spec"] as Placement;
  if (placement.nodeName === undefined) {
    place(store, clock, nodes, pod);
    return undefined;
  }
  const node = nodes.find((candidate) => candidate.metadata.name === placement.nodeName);
  if (!node) {
    // As the real pod collector does: a pod of a node that no longer exists is nobody's.
    store.delete(refOf(pod));
    return undefined;
  }
  const phase = digText(pod, "status", "phase");
  // A pod on the host's own network, such as a CNI agent, does not wait for the network that it brings.
  if (phase !== "Pending" || (!isReady(node) && placement.hostNetwork !== true)) return undefined;
  const leftMs = Date.parse(digText(pod, "status", "startTime")) + startMs - clock.now();
  if (leftMs > 0) return leftMs;
  store.patch(refOf(pod), "merge", { status: runningStatus(pod, node, stampOf(clock.now())) }, byKubelet);
  return undefined;
}

const byKubelet = { fieldManager: "kubelet", subresource: "status" };

function place(store: KubeStore, clock: Clock, nodes: KubeObject[], pod: KubeObject): void {
  const fitting = nodes.filter((node) => fits(node, pod["spec"] as Placement, false));
  const node = leastUsed(store, fitting);
  if (!node) return;
  store.patch(
    refOf(pod),
    "merge",
    { spec: { nodeName: node.metadata.name } },
    { fieldManager: "kube-scheduler" },
  );
  const time = stampOf(clock.now());
  const status = {
    startTime: time,
    conditions: [{ type: "PodScheduled", status: "True", lastProbeTime: null, lastTransitionTime: time }],
  };
  store.patch(refOf(pod), "merge", { status }, byKubelet);
}

function leastUsed(store: KubeStore, nodes: KubeObject[]): KubeObject | undefined {
  if (nodes.length < 2) return nodes[0];
  const counts = new Map<string, number>();
  for (const pod of store.list({ apiVersion: "v1", kind: "Pod" })) {
    const name = digText(pod, "spec", "nodeName");
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const usedBy = (node: KubeObject) => counts.get(node.metadata.name ?? "") ?? 0;
  return nodes.reduce((best, node) => (usedBy(node) < usedBy(best) ? node : best));
}

function runningStatus(pod: KubeObject, node: KubeObject, time: string): Fields {
  const isJob = pod.metadata.ownerReferences?.some((owner) => owner.kind === "Job") ?? false;
  const hostIP = digText(
    digList(node, "status", "addresses").find((item) => digText(item, "type") === "InternalIP"),
    "address",
  );
  const isOnHost = dig(pod, "spec", "hostNetwork") === true;
  const podIP = isOnHost ? hostIP : podAddress(pod.metadata.uid ?? "");
  const condition = (type: string) => ({
    type,
    status: isJob && type !== "PodScheduled" && type !== "Initialized" ? "False" : "True",
    lastProbeTime: null,
    lastTransitionTime: time,
    ...(isJob && type === "Ready" && { reason: "PodCompleted" }),
  });
  return {
    phase: isJob ? "Succeeded" : "Running",
    hostIP,
    hostIPs: [{ ip: hostIP }],
    podIP,
    podIPs: [{ ip: podIP }],
    conditions: ["PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"].map(
      condition,
    ),
    containerStatuses: digList(pod, "spec", "containers").map((container) => ({
      name: digText(container, "name"),
      image: digText(container, "image"),
      imageID: "",
      ready: !isJob,
      started: !isJob,
      restartCount: 0,
      state: isJob
        ? { terminated: { exitCode: 0, reason: "Completed", startedAt: time, finishedAt: time } }
        : { running: { startedAt: time } },
      lastState: {},
    })),
  };
}

/** An address of the usual pod network, the same for the same pod. */
const podAddress = (uid: string): string => {
  const bits = Number.parseInt(uid.slice(0, 4), 16);
  return `10.244.${bits >> 8}.${1 + ((bits & 0xff) % 254)}`;
};
