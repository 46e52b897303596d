import { startKubeApi } from "../kube/index.ts";
import { createClusterObjects } from "./cluster-objects.ts";
import { kubeApiCertificate } from "./certificates.ts";
import type { TalosCluster } from "./cluster.ts";
import { newMember } from "./bootstrap.ts";
import { fetchEtcdImage } from "./etcd-image.ts";
import type { TalosNode } from "./node.ts";

const kubeApiPort = 6443;

/** etcd first, then the Kubernetes API over it, then the shared address. Ends when the signal is aborted. */
export async function runControlPlane(node: TalosNode, signal: AbortSignal): Promise<void> {
  const { cluster } = node;
  if (cluster === undefined) return;
  await runEtcd(node, cluster, signal);
  await node.world.clock.sleep(node.world.latencies.apiServerMs, signal);
  const closers: (() => Promise<void>)[] = [];
  try {
    const serve = await kubeApiFor(node, cluster);
    closers.push(await serve(node.address()));
    createClusterObjects(node, cluster.store);
    cluster.apiServers.add(node);
    cluster.changed();
    node.changed();
    const { vip } = node.config ?? {};
    if (vip === undefined) await untilAborted(signal);
    else await shareVip(node, cluster, () => serve(vip), signal);
  } finally {
    cluster.apiServers.delete(node);
    await Promise.all(closers.map((close) => close()));
    cluster.changed();
  }
}

/** Its holder is elected through etcd, and lets go of it when that has no quorum. Ends when the signal is aborted. */
async function shareVip(
  node: TalosNode,
  cluster: TalosCluster,
  serve: () => Promise<() => Promise<void>>,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    await cluster.signals.until(() => cluster.hasQuorum && cluster.takeVip(node), signal);
    let close: (() => Promise<void>) | undefined;
    try {
      close = await serve();
      cluster.changed();
      await cluster.signals.until(() => !cluster.hasQuorum, signal);
    } finally {
      await close?.();
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

async function kubeApiFor(node: TalosNode, cluster: TalosCluster) {
  const { network, clock, faults, latencies } = node.world;
  const identity = await kubeApiCertificate(node);
  return async (host: string): Promise<() => Promise<void>> => {
    const api = await startKubeApi({
      ...identity,
      network,
      host,
      port: kubeApiPort,
      clientCa: node.config?.kubeCa.cert ?? "",
      store: cluster.store,
      clock,
      faults,
      times: latencies,
      version: node.config?.kubernetes.apiServerVersion ?? "",
      node: node.hostname(),
      hasQuorum: () => cluster.hasQuorum,
    });
    return () => api.close();
  };
}

const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
