import type { KubeClient, KubeObject } from "../../clients/kube/index.ts";

/** The first that is ready; when none is, the last one says why. */
export async function answeringServer(
  open: (server: string) => Promise<KubeClient>,
  servers: string[],
  signal: AbortSignal,
): Promise<{ kube: KubeClient; server: string }> {
  for (const server of servers) {
    const kube = await open(server);
    const isReady = server === servers.at(-1) || (await kube.isReady(signal).catch(() => false));
    if (isReady) return { kube, server };
  }
  throw new Error("no server is left to be asked");
}

interface VolumeAttachment extends KubeObject {
  spec: { nodeName: string };
}

const attachments = { apiVersion: "storage.k8s.io/v1", kind: "VolumeAttachment" };

/** Names of the volumes that count as attached to a node. */
export async function attachedTo(kube: KubeClient, node: string, signal: AbortSignal): Promise<string[]> {
  const { items } = await kube.list<VolumeAttachment>(attachments, signal);
  return items.filter(({ spec }) => spec.nodeName === node).map(({ metadata }) => metadata.name ?? "");
}

/**
 * What the cluster remembers of a node whose machine is gone: volumes that count as attached there, its heartbeat, and
 * last the node itself, so that an attempt that was cut is begun again.
 */
export async function forgetNode(kube: KubeClient, node: string, signal: AbortSignal): Promise<void> {
  for (const name of await attachedTo(kube, node, signal))
    await kube.delete({ ...attachments, name }, { signal });
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease", namespace: "kube-node-lease" };
  await kube.delete({ ...lease, name: node }, { signal });
  await kube.deleteNode(node, signal);
}
