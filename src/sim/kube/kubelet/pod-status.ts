import { unlessEmpty } from "../../../lib/index.ts";
import { dig, digList, digText, stampOf, type Fields, type KubeObject } from "../store/object.ts";
import type { Cluster } from "../controllers/controller.ts";
import { addressOf } from "../controllers/nodes/node-fit.ts";

/** One container as its kubelet sees it. */
export interface ContainerState {
  waiting?: { reason: string; message?: string };
  running?: Fields;
  terminated?: { exitCode: number; reason: string };
  /** How it ended the last time. */
  last?: { exitCode: number; reason: string };
  isReady?: boolean;
  restarts?: number;
}

/** The status a kubelet writes. Times change only with the thing they stand for. */
export function podStatus(
  cluster: Cluster,
  pod: KubeObject,
  node: KubeObject,
  states: ContainerState[],
  inits: ContainerState[],
): Fields {
  const time = stampOf(cluster.clock.now());
  const phase = phaseOf(states, digText(pod, "spec", "restartPolicy"));
  const names = digList(pod, "spec", "containers").map((container) => digText(container, "name"));
  const unready = names.filter((_, at) => states[at]?.isReady !== true);
  const isReady = phase === "Running" && unready.length === 0;
  const isStarted = phase !== "Pending";
  const why = isReady
    ? {}
    : phase === "Succeeded"
      ? { reason: "PodCompleted" }
      : { reason: "ContainersNotReady", message: `containers with unready status: [${unready.join(" ")}]` };
  const condition = (type: string, is: boolean, more: Fields = {}) => ({
    type,
    status: is ? "True" : "False",
    lastProbeTime: null,
    lastTransitionTime: sinceOf(pod, type, is ? "True" : "False") ?? time,
    ...more,
  });
  const hostIP = addressOf(node);
  const podIP = dig(pod, "spec", "hostNetwork") === true ? hostIP : podAddress(cluster, pod, node);
  return {
    phase,
    hostIP,
    hostIPs: [{ ip: hostIP }],
    startTime: digText(pod, "status", "startTime") || time,
    ...(isStarted && { podIP, podIPs: [{ ip: podIP }] }),
    conditions: [
      condition("PodReadyToStartContainers", isStarted),
      condition(
        "Initialized",
        inits.every((state) => state.terminated?.exitCode === 0),
      ),
      condition("Ready", isReady, why),
      condition("ContainersReady", isReady, why),
      condition("PodScheduled", true),
    ],
    containerStatuses: statusesOf(pod, "containers", states, time),
    initContainerStatuses: unlessEmpty(statusesOf(pod, "initContainers", inits, time)),
  };
}

function phaseOf(states: ContainerState[], policy: string): string {
  const ended = states.filter((state) => state.terminated);
  if (states.length > 0 && ended.length === states.length)
    return ended.every((state) => state.terminated?.exitCode === 0) ? "Succeeded" : "Failed";
  if (policy === "Never" && ended.some((state) => state.terminated?.exitCode !== 0)) return "Running";
  const isSetUp = states.some((state) => state.running ?? state.terminated ?? state.last);
  return isSetUp ? "Running" : "Pending";
}

const sinceOf = (pod: KubeObject, type: string, status: string): string | undefined => {
  const old = digList(pod, "status", "conditions").find((item) => digText(item, "type") === type);
  return digText(old, "status") === status ? digText(old, "lastTransitionTime") : undefined;
};

function statusesOf(pod: KubeObject, field: string, states: ContainerState[], time: string): Fields[] {
  const olds = digList(pod, "status", field === "containers" ? "containerStatuses" : "initContainerStatuses");
  return digList(pod, "spec", field).map((container, at) => {
    const name = digText(container, "name");
    const state = states[at] ?? {};
    const old = olds.find((item) => digText(item, "name") === name);
    const startedAt = digText(old, "state", "running", "startedAt") || time;
    const ended = (how: { exitCode: number; reason: string }, which: string) => ({
      ...how,
      startedAt: digText(old, which, "terminated", "startedAt") || startedAt,
      finishedAt: digText(old, which, "terminated", "finishedAt") || time,
    });
    return {
      name,
      image: digText(container, "image"),
      imageID: "",
      ready: state.isReady === true,
      started: state.running !== undefined,
      restartCount: state.restarts ?? 0,
      state: state.waiting
        ? { waiting: state.waiting }
        : state.terminated
          ? { terminated: ended(state.terminated, "state") }
          : { running: { startedAt } },
      lastState: state.last ? { terminated: ended(state.last, "lastState") } : {},
    };
  });
}

/** The next free address of its node's part of the pod network; a pod keeps the one it has. */
function podAddress({ index }: Cluster, pod: KubeObject, node: KubeObject): string {
  const kept = digText(pod, "status", "podIP");
  if (kept !== "") return kept;
  const [a = "10", b = "244", c = "0"] = (
    digText(node, "spec", "podCIDR") || shareOf(node.metadata.uid ?? "")
  ).split(".");
  const taken = new Set(
    index.podsOn(node.metadata.name ?? "").map((other) => digText(other, "status", "podIP")),
  );
  let last = 2;
  while (taken.has(`${a}.${b}.${c}.${last}`) && last < 254) last += 1;
  return `${a}.${b}.${c}.${last}`;
}

/** For nodes nobody gave a part: always the same one. */
const shareOf = (uid: string): string => `10.244.${Number.parseInt(uid.slice(0, 2), 16) || 0}.0/24`;
