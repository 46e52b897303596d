import { startKubeApi } from "../../kube/index.ts";
import { createClusterObjects, writeStaticPods } from "./cluster-objects.ts";
import { kubeApiCertificate } from "../certificates.ts";
import { newMember } from "../etcd/bootstrap.ts";
import type { TalosCluster, TalosNode } from "../node.ts";
import { StaticPods } from "./static-pods.ts";

const kubeApiPort = 6443;

/** etcd first, then the Kubernetes API over it, then the shared address. Ends when the signal is aborted. */
export async function runControlPlane(node: TalosNode, signal: AbortSignal): Promise<void> {
  const { cluster } = node;
  if (cluster === undefined) return;
  node.staticPods = new StaticPods(node.config?.text ?? "", node.world.clock.now());
  try {
    await runEtcd(node, cluster, signal);
    await node.world.clock.sleep(node.world.latencies.apiServerMs, signal);
    const parts = await Promise.allSettled([
      runApiServer(node, cluster, signal),
      followConfig(node, cluster, signal),
      shareVip(node, cluster, signal),
    ]);
    const failed = parts.find((part) => part.status === "rejected");
    if (failed) throw failed.reason;
  } finally {
    node.staticPods = undefined;
  }
}

/** From each start of its static pod to the stop of it. Ends when the signal is aborted. */
async function runApiServer(node: TalosNode, cluster: TalosCluster, signal: AbortSignal): Promise<void> {
  const isRunning = (): boolean => node.staticPods?.isRunning("kube-apiserver") ?? false;
  for (;;) {
    await node.signals.until(isRunning, signal);
    node.apiServerTrust = trustOf(node);
    const close = await serveKubeApi(node, cluster, node.address());
    try {
      createClusterObjects(node, cluster.store);
      cluster.apiServers.add(node);
      cluster.changed();
      node.changed();
      await node.signals.until(() => !isRunning(), signal);
    } finally {
      node.apiServerTrust = undefined;
      cluster.apiServers.delete(node);
      cluster.changed();
      await close();
    }
  }
}

const trustOf = ({ config }: TalosNode): TalosNode["apiServerTrust"] =>
  config && { issuer: config.kubeCa.cert, accepted: config.kubeAccepted };

/** A config that makes other static pods is answered long before the kubelet has replaced those that run. */
async function followConfig(node: TalosNode, cluster: TalosCluster, signal: AbortSignal): Promise<never> {
  const { clock, latencies } = node.world;
  for (;;) {
    const text = (): string => node.config?.text ?? "";
    await node.signals.until(() => node.staticPods?.isMadeFrom(text()) === false, signal);
    await clock.sleep(latencies.staticPodMs, signal);
    const others = node.staticPods?.rewrite(text(), clock.now()) ?? [];
    node.changed();
    await clock.sleep(latencies.staticPodMs, signal);
    node.staticPods?.setRunning(others, false);
    node.changed();
    await clock.sleep(latencies.staticPodRestartMs, signal);
    node.staticPods?.setRunning(others, true);
    writeStaticPods(node, cluster.store);
    node.changed();
  }
}

/**
 * Its holder is elected through etcd, and lets go of it when that has no quorum, its own member has left, or its config
 * does not name it any more.
 * Whether its API server answers makes no difference. Ends when the signal is aborted.
 */
async function shareVip(node: TalosNode, cluster: TalosCluster, signal: AbortSignal): Promise<never> {
  const named = (): string | undefined =>
    cluster.hasQuorum && node.isEtcdRunning ? node.config?.vip : undefined;
  for (;;) {
    await cluster.signals.until(() => named() !== undefined && cluster.takeVip(node), signal);
    const vip = named() ?? "";
    const isOurs = (): boolean => named() === vip;
    const isServing = (): boolean => cluster.apiServers.has(node);
    try {
      while (isOurs()) {
        await cluster.signals.until(() => isServing() || !isOurs(), signal);
        if (!isOurs()) break;
        const close = await serveKubeApi(node, cluster, vip);
        try {
          cluster.changed();
          await cluster.signals.until(() => !isServing() || !isOurs(), signal);
        } finally {
          await close();
        }
      }
    } finally {
      // Only now may another control plane listen on the shared address.
      cluster.vipHolder = undefined;
      cluster.changed();
    }
  }
}

/** Waits for Bootstrap, joins the others, or comes back as the member it was. */
async function runEtcd(node: TalosNode, cluster: TalosCluster, signal: AbortSignal): Promise<void> {
  const { clock, latencies } = node.world;
  const knowsItself = () => cluster.members.some((member) => member.id === node.disk.etcdMemberId);
  if (node.disk.etcdMemberId !== undefined && !knowsItself()) {
    node.services.set(
      "etcd",
      "Waiting",
      "etcdserver: the member has been permanently removed from the cluster",
      false,
    );
    await untilAborted(signal);
  }
  if (node.disk.etcdMemberId === undefined) {
    await fetchEtcdImage(node, signal);
    node.log(
      "[talos] etcd is waiting to join the cluster, if this node is the first node in the cluster, please run `talosctl bootstrap` against one of the following IPs:",
    );
    await cluster.signals.until(
      () => node.founding !== undefined || knowsItself() || joinEtcd(node, cluster),
      signal,
    );
  }
  if (node.founding === undefined) {
    node.services.set("etcd", "Starting", "Starting service");
    await clock.sleep(latencies.etcdJoinMs, signal);
  } else {
    await clock.sleep(latencies.etcdMs / 2, signal);
    node.founding();
    node.founding = undefined;
    await clock.sleep(latencies.etcdMs / 2, signal);
  }
  node.isEtcdRunning = true;
  node.services.start("etcd");
  const own = cluster.members.find((member) => member.id === node.disk.etcdMemberId);
  if (own?.isLearner === true) cluster.promoteMember(own.id);
  cluster.changed();
}

/** Asks a running etcd to take this node in; it takes one learner at a time. */
function joinEtcd(node: TalosNode, cluster: TalosCluster): boolean {
  if (!cluster.hasQuorum || cluster.members.some((member) => member.isLearner)) return false;
  const member = newMember(node, true);
  node.disk.etcdMemberId = member.id;
  node.save();
  cluster.addMember(member);
  return true;
}

async function serveKubeApi(
  node: TalosNode,
  cluster: TalosCluster,
  host: string,
): Promise<() => Promise<void>> {
  const { network, clock, faults, latencies } = node.world;
  const api = await startKubeApi({
    ...(await kubeApiCertificate(node)),
    network,
    host,
    port: kubeApiPort,
    clientCa: (node.config?.kubeAccepted ?? []).join(""),
    store: cluster.store,
    clock,
    faults,
    times: latencies,
    version: node.config?.kubernetes.apiServerVersion ?? "",
    node: node.hostname(),
    // It asks the etcd of its own node only.
    hasQuorum: () => cluster.hasQuorum && node.isEtcdRunning,
  });
  return () => api.close();
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });

const image = "registry.k8s.io/etcd:v3.6.12";
const retryMs = 5_000;
/** A registry that says it does not have the image is asked this often again; one that does not answer, for longer. */
const notFoundRetries = 5;

/**
 * Before etcd does anything, its image is fetched. While that fails, the service prepares and only the log tells why; in the
 * end it fails, and begins again when Bootstrap is called.
 */
async function fetchEtcdImage(node: TalosNode, signal: AbortSignal): Promise<void> {
  for (;;) {
    const trouble = await pullWithRetries(node, signal);
    if (trouble === undefined) {
      node.images.system.set(image, node.world.clock.now());
      return;
    }
    const why = `failed to pull image "${image}": 1 error(s) occurred:\n\t${trouble}`;
    node.services.set("etcd", "Failed", `Failed to run pre stage: ${why}`);
    const { founding, cluster } = node;
    await cluster?.signals.until(() => node.founding !== founding, signal);
  }
}

/** Why it was given up; undefined when the image came. */
async function pullWithRetries(node: TalosNode, signal: AbortSignal): Promise<string | undefined> {
  const { faults, clock } = node.world;
  for (let retry = 0; ; retry += 1) {
    const fault = faults.cluster.find("image-pull", { image, node: node.hostname() });
    if (fault === undefined) return undefined;
    const why = fault.message ?? `failed to resolve reference "${image}": ${image}: not found`;
    const trouble = `failed to pull image "${image}": ${why}`;
    if (fault.message === undefined && retry === notFoundRetries) return trouble;
    node.log(`[talos] retrying error: ${trouble}`);
    await clock.sleep(retryMs * 2 ** Math.min(retry, 6), signal);
  }
}
