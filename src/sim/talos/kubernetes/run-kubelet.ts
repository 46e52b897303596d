import {
  assignPodSubnet,
  registerNode,
  setNodeReady,
  startKubelet,
  stopKubelet,
  type KubeStore,
} from "../../kube/index.ts";
import { writeStaticPods } from "./cluster-objects.ts";
import type { TalosCluster, TalosNode } from "../node.ts";
import { KubeletTrust } from "./kubelet-trust.ts";

/** Registers the node with Kubernetes once an API server answers, and makes it ready once it has a network. */
export async function runKubelet(node: TalosNode, signal: AbortSignal): Promise<void> {
  const { cluster } = node;
  if (cluster === undefined) return;
  node.services.start("kubelet");
  await cluster.signals.until(() => !node.isControlPlane || node.isEtcdRunning, signal);
  node.events.task("startAllServices", "STOP");
  node.events.phase("startEverything", "STOP");
  node.events.sequence("boot", "STOP");
  node.setStage("running");
  for (;;) await serveStore(node, cluster, signal);
}

/** As long as the cluster has this database: when a snapshot takes its place, the node registers there as at first. */
async function serveStore(node: TalosNode, cluster: TalosCluster, stop: AbortSignal): Promise<void> {
  const { clock, latencies } = node.world;
  await cluster.signals.until(() => cluster.apiServers.size > 0, stop);
  await clock.sleep(latencies.registerMs, stop);
  const { store } = cluster;
  const replaced = new AbortController();
  const signal = AbortSignal.any([stop, replaced.signal]);
  const watch = cluster.signals.until(() => cluster.store !== store, stop);
  watch.then(
    () => replaced.abort(new Error("the database was replaced")),
    () => undefined,
  );
  const trust = new KubeletTrust(node, cluster);
  begin(node, store, latencies.readyMs);
  register(node, cluster);
  try {
    await untilReady(node, store, signal);
    node.changed();
    await Promise.all([
      followConfig(node, cluster, trust, signal),
      standWhileTrusted(node, cluster, trust, signal),
    ]);
  } catch (thrown) {
    if (stop.aborted || !replaced.signal.aborted) throw thrown;
  } finally {
    stopKubelet(store, node.hostname());
  }
}

function begin(node: TalosNode, store: KubeStore, readyMs: number): void {
  const vmid = node.hardware.id;
  startKubelet(store, node.hostname(), {
    address: node.address(),
    readyAtMs: node.world.clock.now() + readyMs,
    machine: vmid === undefined ? undefined : { vmid, host: node.hardware.host },
    rotatesServingCertificate: node.config?.kubernetes.rotatesServingCertificate ?? false,
  });
}

/** Where no API server that runs is trusted, or none trusts it, nobody hears of the kubelet. Ends when the signal is aborted. */
async function standWhileTrusted(
  node: TalosNode,
  cluster: TalosCluster,
  trust: KubeletTrust,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    await cluster.signals.until(() => trust.isCut(), signal);
    stopKubelet(cluster.store, node.hostname());
    node.changed();
    await cluster.signals.until(() => !trust.isCut(), signal);
    begin(node, cluster.store, 0);
    register(node, cluster);
    setNodeReady(cluster.store, node.hostname(), true);
    node.changed();
  }
}

/** A config applied while the node runs changes what its Node object says. Ends when the signal is aborted. */
async function followConfig(
  node: TalosNode,
  cluster: TalosCluster,
  trust: KubeletTrust,
  signal: AbortSignal,
): Promise<never> {
  for (;;) {
    const seen = node.config;
    await node.signals.until(() => node.config !== seen, signal);
    const isOther = node.config?.kubernetes.kubeletVersion !== seen?.kubernetes.kubeletVersion;
    if (isOther || String(node.config?.kubeAccepted) !== String(seen?.kubeAccepted)) {
      // Another image or other authorities are another kubelet; pods run on without one.
      node.services.set("kubelet", "Preparing", "Running pre state");
      await node.world.clock.sleep(node.world.latencies.registerMs, signal);
      trust.renew();
      node.services.start("kubelet");
    }
    if (trust.isCut()) continue;
    register(node, cluster);
    setNodeReady(cluster.store, node.hostname(), true);
    node.changed();
  }
}

/** Stays until a cloud controller takes it away; only a new Node gets it. */
const uninitialized = {
  key: "node.cloudprovider.kubernetes.io/uninitialized",
  value: "true",
  effect: "NoSchedule",
};

function register(node: TalosNode, cluster: TalosCluster): void {
  const { config } = node;
  if (config === undefined) return;
  const { kubernetes } = config;
  const isTainted = node.isControlPlane && !kubernetes.schedulesOnControlPlanes;
  const { store } = cluster;
  registerNode(store, {
    name: node.hostname(),
    address: node.address(),
    isControlPlane: node.isControlPlane,
    kubeletVersion: kubernetes.kubeletVersion,
    osImage: `Talos (v${node.disk.version})`,
    kernelVersion: "6.18.12-talos",
    containerRuntime: "containerd://2.2.5",
    cores: node.hardware.cores,
    memoryMiB: node.hardware.memoryMiB,
    labels: kubernetes.labels,
    systemUuid: node.hardware.uuid,
    taints: [
      ...(isTainted ? [{ key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" }] : []),
      ...(kubernetes.hasExternalCloud ? [uninitialized] : []),
    ],
  });
  assignPodSubnet(store, node.hostname(), kubernetes.podSubnet);
  if (node.isControlPlane && node.staticPods?.isReplacing !== true) writeStaticPods(node, store);
  node.changed();
}

/** The cluster's controllers say so once the node has a network. */
async function untilReady(node: TalosNode, store: KubeStore, signal: AbortSignal): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Node", name: node.hostname() };
  const stop = store.onChange((change) => {
    if (change.object.kind === "Node" && change.object.metadata.name === ref.name) node.signals.notify();
  });
  try {
    await node.signals.until(() => isReady(store.find(ref)), signal);
  } finally {
    stop();
  }
}

interface NodeStatus {
  conditions?: { type: string; status: string }[];
}

const isReady = (node: Record<string, unknown> | undefined): boolean =>
  (node?.["status"] as NodeStatus | undefined)?.conditions?.some(
    (condition) => condition.type === "Ready" && condition.status === "True",
  ) ?? false;
