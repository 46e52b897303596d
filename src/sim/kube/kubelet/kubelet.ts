import { setNodeReady } from "./node.ts";
import { stampOf } from "../store/object.ts";
import { runtimeOf, type Machine } from "./runtime.ts";
import { servingRequest } from "./sign-request.ts";
import type { KubeStore } from "../store/store.ts";

export interface KubeletOptions {
  address: string;
  /** When it is done with its own start, on the cluster's clock; ready it is once it has a network too. */
  readyAtMs: number;
  /** The program it runs in brings the network along; otherwise pods do. */
  hasOwnNetwork?: boolean;
  /** The virtual machine below it, for cloud controllers. */
  machine?: Machine | undefined;
  /** It serves logs only once somebody approved its certificate. */
  rotatesServingCertificate?: boolean;
}

/** A kubelet begins to look after its node. Call it before the node is registered. */
export function startKubelet(store: KubeStore, name: string, options: KubeletOptions): void {
  const runtime = runtimeOf(store);
  runtime.kubelets.set(name, {
    readyAtMs: options.readyAtMs,
    hasOwnNetwork: options.hasOwnNetwork ?? false,
  });
  runtime.missedAtMs.delete(name);
  if (options.machine) runtime.machines.set(name, options.machine);
  holdLease(store, name);
  if (options.rotatesServingCertificate === true && !runtime.servingRequests.has(name))
    void askForCertificate(store, name, options.address);
}

const graceMs = 40_000;

/** The nodes of a database that came back say what they said then, until they are heard of or missed. */
export function awaitKubelets(store: KubeStore): void {
  const { missedAtMs } = runtimeOf(store);
  for (const { metadata } of store.list({ apiVersion: "v1", kind: "Node" }))
    missedAtMs.set(metadata.name ?? "", store.clock.now() + graceMs);
}

/** Nobody hears of the kubelet any more. The cluster notices by missing heartbeats; here it notices at once. */
export function stopKubelet(store: KubeStore, name: string): void {
  runtimeOf(store).kubelets.delete(name);
  if (store.find({ apiVersion: "v1", kind: "Node", name }) === undefined) return;
  missNode(store, name);
}

export const missNode = (store: KubeStore, name: string) =>
  setNodeReady(store, name, false, {
    status: "Unknown",
    reason: "NodeStatusUnknown",
    message: "Kubelet stopped posting node status.",
  });

function holdLease(store: KubeStore, name: string): void {
  const lease = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
  const metadata = { name, namespace: "kube-node-lease" };
  const renewTime = `${stampOf(store.clock.now()).slice(0, -1)}.000000Z`;
  if (store.find({ ...lease, ...metadata }))
    store.patch({ ...lease, ...metadata }, "merge", { spec: { renewTime } });
  else
    store.create({ ...lease, metadata, spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime } });
}

async function askForCertificate(store: KubeStore, name: string, address: string): Promise<void> {
  runtimeOf(store).servingRequests.set(name, "");
  const request = await servingRequest(name, address);
  const made = store.create(
    {
      apiVersion: "certificates.k8s.io/v1",
      kind: "CertificateSigningRequest",
      metadata: { generateName: "csr-" },
      spec: {
        request,
        signerName: "kubernetes.io/kubelet-serving",
        usages: ["digital signature", "server auth"],
        username: `system:node:${name}`,
        groups: ["system:nodes", "system:authenticated"],
      },
      status: {},
    },
    { fieldManager: "kubelet" },
  );
  runtimeOf(store).servingRequests.set(name, made.metadata.name ?? "");
}
