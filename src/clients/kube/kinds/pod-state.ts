import { conditionOf } from "./object.ts";
import type { ContainerStatus, KubePod } from "./workloads.ts";

/** Ready, or on the way, or past hope unless somebody changes something; `seen` is the reason in a few words. */
export interface WorkloadState {
  isReady: boolean;
  isFailed: boolean;
  seen: string;
}

const state = (isReady: boolean, isFailed: boolean, seen: string): WorkloadState => ({
  isReady,
  isFailed,
  seen,
});
const waiting = (seen: string) => state(false, false, seen);

/** What a container that waits for a reason nobody repairs by waiting says of itself, and what it means. */
const troubles: Record<string, string> = {
  ImagePullBackOff: "its image cannot be pulled",
  ErrImagePull: "its image cannot be pulled",
  InvalidImageName: "its image has no valid name",
  ErrImageNeverPull: "its image is not on the node and may not be pulled",
  CrashLoopBackOff: "it crashes again and again",
  CreateContainerConfigError: "its configuration is not there",
  CreateContainerError: "the container cannot be made",
  RunContainerError: "the container cannot be started",
};

/** A pod in one word and one reason: what it waits for, or what is wrong with it. */
export function podState(pod: KubePod): WorkloadState {
  const { phase, reason, message } = pod.status ?? {};
  if (phase === "Succeeded") return state(true, false, "it has completed");
  const trouble = podTrouble(pod);
  if (phase === "Failed")
    return state(false, true, [trouble ?? reason ?? "it has failed", message].filter(Boolean).join(": "));
  if (trouble !== undefined) return waiting(trouble);
  if (conditionOf(pod, "Ready")?.status === "True") return state(true, false, "it is ready");
  const unready = (pod.status?.containerStatuses ?? []).filter((container) => container.ready !== true);
  if (phase === "Running")
    return waiting(`container ${unready.map(({ name }) => `"${name}"`).join(", ")} is not ready`);
  return waiting(pod.spec?.nodeName === undefined ? "it has no node yet" : "its containers are being made");
}

/** Why a pod does not come up by itself; undefined while nothing speaks against it. */
export function podTrouble(pod: KubePod): string | undefined {
  const placed = conditionOf(pod, "PodScheduled");
  if (placed?.status === "False" && placed.reason === "Unschedulable")
    return `no node can run it: ${placed.message ?? "no reason given"}`;
  const { initContainerStatuses = [], containerStatuses = [] } = pod.status ?? {};
  for (const container of [...initContainerStatuses, ...containerStatuses]) {
    const trouble = containerTrouble(container);
    if (trouble !== undefined) return `container "${container.name}": ${trouble}`;
  }
  return undefined;
}

function containerTrouble({ image, state: now, lastState, restartCount = 0 }: ContainerStatus) {
  const { reason = "", message } = now?.waiting ?? {};
  const meaning = troubles[reason];
  const died = now?.terminated ?? lastState?.terminated;
  const end = died && died.exitCode !== 0 ? endOf(died) : undefined;
  if (reason === "CrashLoopBackOff")
    return [meaning, end, `${restartCount} restarts`].filter(Boolean).join(", ");
  if (meaning !== undefined)
    return `${meaning}${/image/i.test(reason) ? ` (${image ?? "?"})` : ""}${message ? `: ${message}` : ""}`;
  return now?.terminated ? end : undefined;
}

const endOf = ({ exitCode, reason, message }: { exitCode: number; reason?: string; message?: string }) =>
  `ended with exit code ${exitCode}${reason && reason !== "Error" ? ` (${reason})` : ""}${message ? `: ${message.trim()}` : ""}`;
