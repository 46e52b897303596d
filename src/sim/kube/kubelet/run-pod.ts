import { recordEvent } from "../store/events.ts";
import { digList, digText, type KubeObject } from "../store/object.ts";
import { networkNotReady } from "./node.ts";
import { logKey, type Outcome, type PodRun } from "./runtime.ts";
import { refOf } from "../store/store.ts";
import type { Cluster } from "../controllers/controller.ts";
import { runContainer } from "./container-commands.ts";
import { isReady } from "../controllers/nodes/node-fit.ts";
import { claimNames, findClaim } from "../controllers/pod-claims.ts";
import { podStatus, type ContainerState } from "./pod-status.ts";
import { hasNetwork, isNetworkPod } from "../controllers/network/pod-network.ts";
import { byKubelet } from "../controllers/nodes/schedule.ts";

/** What the kubelet of `node` does with a pod now. Returns when it has to look again. */
export function runPod(cluster: Cluster, pod: KubeObject, node: KubeObject): number | undefined {
  const { runtime, clock, times } = cluster;
  const run = runOf(cluster, pod);
  const containers = digList(pod, "spec", "containers");
  const images = [...digList(pod, "spec", "initContainers"), ...containers].map((item) =>
    digText(item, "image"),
  );
  if (run.runsAtMs === undefined) {
    const obstacle = obstacleFor(cluster, pod, node);
    if (obstacle) {
      const states = containers.map((): ContainerState => ({ waiting: { reason: "ContainerCreating" } }));
      write(cluster, pod, node, states);
      tell(cluster, pod, node, obstacle.reason, obstacle.message);
      return undefined;
    }
    const unpulled = pullFailure(cluster, pod, node, run);
    if (unpulled !== undefined) return unpulled;
    const isMissing = images.some((image) => !runtime.images.has(`${node.metadata.name} ${image}`));
    run.runsAtMs = clock.now() + (isMissing ? times.imagePullMs : 0) + times.podStartMs;
    for (const image of images) runtime.images.add(`${node.metadata.name} ${image}`);
  }
  if (clock.now() < run.runsAtMs) return run.runsAtMs - clock.now();
  return runContainers(cluster, pod, node, run);
}

function runOf({ runtime }: Cluster, pod: KubeObject): PodRun {
  const known = runtime.pods.get(pod.metadata.uid ?? "");
  if (known) return known;
  const isRunning = digText(pod, "status", "phase") === "Running";
  const made: PodRun = { runsAtMs: isRunning ? 0 : undefined, endsAtMs: undefined, containers: new Map() };
  runtime.pods.set(pod.metadata.uid ?? "", made);
  return made;
}

/** What keeps a pod from being set up at all. */
function obstacleFor(
  cluster: Cluster,
  pod: KubeObject,
  node: KubeObject,
): { reason: string; message: string } | undefined {
  const { store } = cluster;
  for (const volume of digList(pod, "spec", "volumes"))
    for (const [field, kind, named] of [
      ["secret", "Secret", "secretName"],
      ["configMap", "ConfigMap", "name"],
    ] as const) {
      const name = digText(volume, field, named);
      if (name === "" || digText(volume, field, "optional") === "true") continue;
      if (store.find({ apiVersion: "v1", kind, namespace: pod.metadata.namespace ?? "", name })) continue;
      const message = `MountVolume.SetUp failed for volume "${digText(volume, "name")}" : ${kind.toLowerCase()} "${name}" not found`;
      return { reason: "FailedMount", message };
    }
  for (const [volume, name] of claimNames(pod)) {
    const claim = findClaim(cluster, pod, name);
    if (digText(claim, "status", "phase") !== "Bound")
      return {
        reason: "FailedMount",
        message: `Unable to attach or mount volumes: unmounted volumes=[${volume}], unattached volumes=[], failed to process volumes=[]: timed out waiting for the condition`,
      };
  }
  // A pod on the host's own network, such as a CNI agent, does not wait for the network that it brings.
  const isOnHost = digText(pod, "spec", "hostNetwork") === "true";
  if (isOnHost || isReady(node) || hasNetwork(cluster, node.metadata.name ?? "")) return undefined;
  return { reason: "NetworkNotReady", message: `network is not ready: ${networkNotReady}` };
}

/** Tells of images nobody has, more and more rarely. */
function pullFailure(cluster: Cluster, pod: KubeObject, node: KubeObject, run: PodRun): number | undefined {
  const containers = digList(pod, "spec", "containers");
  const inits = digList(pod, "spec", "initContainers");
  const failed = [...inits, ...containers].flatMap((container) => {
    const image = digText(container, "image");
    const fault = cluster.faults.find("image-pull", targetOf(pod, node, image));
    const told = fault?.message ?? `failed to resolve reference "${image}": ${image}: not found`;
    return fault
      ? [
          {
            container,
            image,
            why: `rpc error: code = NotFound desc = failed to pull and unpack image "${image}": ${told}`,
          },
        ]
      : [];
  })[0];
  if (!failed) return undefined;
  const name = digText(failed.container, "name");
  const tries = runOfContainer(run, name);
  const nowMs = cluster.clock.now();
  if (nowMs < tries.retryAtMs) return tries.retryAtMs - nowMs;
  tries.failedPulls += 1;
  tries.retryAtMs = nowMs + backoffMs(tries.failedPulls);
  const state: ContainerState = {
    waiting:
      tries.failedPulls === 1
        ? { reason: "ErrImagePull", message: failed.why }
        : {
            reason: "ImagePullBackOff",
            message: `Back-off pulling image "${failed.image}": ErrImagePull: ${failed.why}`,
          },
  };
  const isFailed = (item: unknown) => digText(item, "name") === name;
  write(
    cluster,
    pod,
    node,
    containers.map((item) =>
      isFailed(item)
        ? state
        : { waiting: { reason: inits.length > 0 ? "PodInitializing" : "ContainerCreating" } },
    ),
    inits.map((item) => (isFailed(item) ? state : { waiting: { reason: "PodInitializing" } })),
  );
  tell(cluster, pod, node, "Failed", `Failed to pull image "${failed.image}": ${failed.why}`);
  if (tries.failedPulls > 1) tell(cluster, pod, node, "BackOff", `Back-off pulling image "${failed.image}"`);
  return tries.retryAtMs - nowMs;
}

function runContainers(cluster: Cluster, pod: KubeObject, node: KubeObject, run: PodRun): number | undefined {
  const againMs: number[] = [];
  const stateOf = (container: unknown): ContainerState => {
    const { state, nextMs } = stateNow(cluster, pod, node, run, container);
    if (nextMs !== undefined) againMs.push(nextMs);
    return state;
  };
  const inits = digList(pod, "spec", "initContainers").map((container): ContainerState => {
    const state = stateOf(container);
    return state.waiting ? state : { terminated: { exitCode: 0, reason: "Completed" } };
  });
  const isHeldBack = inits.some((state) => state.waiting);
  const states = digList(pod, "spec", "containers").map((container) =>
    isHeldBack ? { waiting: { reason: "PodInitializing" } } : stateOf(container),
  );
  write(cluster, pod, node, states, inits);
  return againMs.length === 0 ? undefined : Math.min(...againMs);
}

/** One container: running for good, at its end, or failing again and again. */
function stateNow(
  cluster: Cluster,
  pod: KubeObject,
  node: KubeObject,
  run: PodRun,
  container: unknown,
): { state: ContainerState; nextMs?: number } {
  const { faults, runtime, clock } = cluster;
  const name = digText(container, "name");
  const target = targetOf(pod, node, digText(container, "image"));
  const crash = faults.find("crash-loop", target);
  const policy = digText(pod, "spec", "restartPolicy");
  const tries = runOfContainer(run, name);
  const ending: Outcome = crash
    ? {
        exitCode: crash.exitCode ?? 1,
        output: `${crash.log ?? crash.message ?? "fatal error"}\n`,
        tookMs: 0,
        hasFailed: true,
      }
    : runContainer(cluster, pod, container);
  if (ending.hasFailed !== true && policy === "Always") {
    runtime.logs.set(logKey(pod.metadata.uid, name), ending.output);
    const isProbeFailing = faults.find("never-ready", target) ?? networkFault(cluster, pod, node);
    if (isProbeFailing)
      tell(
        cluster,
        pod,
        node,
        "Unhealthy",
        isProbeFailing.message ?? "Readiness probe failed: HTTP probe failed with statuscode: 500",
      );
    return { state: { running: {}, isReady: !isProbeFailing, restarts: tries.restarts } };
  }
  const endsAtMs = (run.runsAtMs ?? 0) + ending.tookMs;
  if (clock.now() < endsAtMs)
    return { state: { running: {}, isReady: true }, nextMs: endsAtMs - clock.now() };
  runtime.logs.set(logKey(pod.metadata.uid, name), ending.output);
  const terminated = { exitCode: ending.exitCode, reason: ending.exitCode === 0 ? "Completed" : "Error" };
  if (policy === "Never" || (ending.exitCode === 0 && policy !== "Always")) return { state: { terminated } };
  return crashLoop(cluster, pod, node, { name, terminated, run });
}

function crashLoop(
  cluster: Cluster,
  pod: KubeObject,
  node: KubeObject,
  { name, terminated, run }: { name: string; terminated: { exitCode: number; reason: string }; run: PodRun },
): { state: ContainerState; nextMs: number } {
  const tries = runOfContainer(run, name);
  const nowMs = cluster.clock.now();
  if (nowMs >= tries.retryAtMs) {
    if (tries.retryAtMs > 0) tries.restarts += 1;
    tries.retryAtMs = nowMs + backoffMs(tries.restarts + 1);
    const where = `${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
    tell(cluster, pod, node, "BackOff", `Back-off restarting failed container ${name} in pod ${where}`);
  }
  const waitMs = backoffMs(tries.restarts + 1);
  const message = `back-off ${waitMs / 1000}s restarting failed container=${name} pod=${pod.metadata.name}_${pod.metadata.namespace}(${pod.metadata.uid})`;
  const waiting = { reason: "CrashLoopBackOff", message };
  return { state: { waiting, last: terminated, restarts: tries.restarts }, nextMs: tries.retryAtMs - nowMs };
}

const backoffMs = (time: number): number => Math.min(300_000, 10_000 * 2 ** (time - 1));

function runOfContainer(run: PodRun, name: string) {
  const made = run.containers.get(name) ?? { restarts: 0, retryAtMs: 0, failedPulls: 0 };
  run.containers.set(name, made);
  return made;
}

const targetOf = (pod: KubeObject, node: KubeObject, image: string) => ({
  image,
  workload: `${pod.metadata.namespace}/${pod.metadata.name}`,
  node: node.metadata.name ?? "",
});

const networkFault = ({ faults }: Cluster, pod: KubeObject, node: KubeObject) =>
  isNetworkPod(pod) ? faults.find("cni-not-ready", { node: node.metadata.name ?? "" }) : undefined;

function write(
  cluster: Cluster,
  pod: KubeObject,
  node: KubeObject,
  states: ContainerState[],
  inits: ContainerState[] = [],
): void {
  const status = podStatus(cluster, pod, node, states, inits);
  cluster.store.patch(refOf(pod), "merge", { status }, byKubelet);
}

function tell({ store }: Cluster, pod: KubeObject, node: KubeObject, reason: string, message: string): void {
  recordEvent(store, pod, { reason, message, from: "kubelet", node: node.metadata.name ?? "" });
}
