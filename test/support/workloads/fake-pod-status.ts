import type { KubePod } from "../../../src/clients/kube/index.ts";

/** How far a pod is said to be. */
export type PodState = "ready" | "succeeded" | "failed";

/** An address of its own in the pods' network, by the pod's uid. */
export function podAddress(uid: string): string {
  const [third = 0, fourth = 0] = Buffer.from(uid.replaceAll("-", ""), "hex");
  return `10.244.${third}.${Math.max(1, fourth)}`;
}

/** What a kubelet would write into the status of a pod. */
export function statusOf(pod: KubePod, state: PodState, address: string): Record<string, unknown> {
  const now = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const isReady = state === "ready";
  const isTrue = (type: string, is: boolean) => ({
    type,
    status: is ? "True" : "False",
    lastTransitionTime: now,
  });
  const ended = {
    exitCode: state === "failed" ? 1 : 0,
    reason: "Completed",
    startedAt: now,
    finishedAt: now,
  };
  const container = (is: "running" | "ended") => (each: { name: string; image: string }) => ({
    name: each.name,
    image: each.image,
    imageID: "",
    restartCount: 0,
    ready: isReady,
    state: is === "running" ? { running: { startedAt: now } } : { terminated: ended },
  });
  const { containers = [], initContainers = [] } = (pod.spec ?? {}) as PodContainers;
  return {
    phase: { ready: "Running", succeeded: "Succeeded", failed: "Failed" }[state],
    startTime: now,
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: [
      isTrue("PodScheduled", true),
      isTrue("Initialized", true),
      isTrue("ContainersReady", isReady),
      isTrue("Ready", isReady),
    ],
    initContainerStatuses: initContainers.map(container("ended")),
    containerStatuses: containers.map(container(isReady ? "running" : "ended")),
  };
}

interface PodContainers {
  containers?: { name: string; image: string }[];
  initContainers?: { name: string; image: string }[];
}
