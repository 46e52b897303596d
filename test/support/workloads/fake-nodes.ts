import type { KubeClient } from "../../../src/clients/kube/index.ts";

/** Nodes as kubelets register them; without a pod network they are not Ready yet. */
export async function registerNodes(
  kube: KubeClient,
  names: readonly string[],
  { hasNetwork = true }: { hasNetwork?: boolean } = {},
): Promise<void> {
  for (const name of names) {
    await kube.create({
      apiVersion: "v1",
      kind: "Node",
      metadata: { name, labels: { "kubernetes.io/os": "linux" } },
    });
    if (hasNetwork) await sayNodeReady(kube, name);
  }
}

/** The network works there: the kubelet says so, and the taint that kept pods away goes. */
export async function sayNodeReady(kube: KubeClient, name: string): Promise<void> {
  const ref = { apiVersion: "v1", kind: "Node", name };
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z$/, "Z");
  const ready = { type: "Ready", status: "True", reason: "KubeletReady", message: "", lastTransitionTime };
  await kube.patch(ref, { status: { conditions: [ready] } }, { subresource: "status" });
  await kube.patch(ref, { spec: { taints: null } });
}
