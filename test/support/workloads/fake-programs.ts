import type { KubeClient, KubeObject, Manifest } from "../../../src/clients/kube/index.ts";
import { definitionOf } from "../../../src/sim/kube/operators/operator.ts";
import { eventually } from "../kube/objects.ts";
import { fluxOperator, saysReady } from "./fake-flux.ts";
import type { Program } from "./fake-kubelet.ts";
import { longhornDeployer, longhornManager, longhornUninstall } from "./fake-longhorn.ts";
import { sayNodeReady } from "./fake-nodes.ts";
import { provideVolumes } from "./fake-storage.ts";

/** What the programs of add-ons do to a cluster, as far as an add-on's readiness, proof and removal hang on it. */
export const addonPrograms: Readonly<Record<string, Program>> = {
  "kube-system/cilium": ({ kube, pod }) => sayNodeReady(kube, pod.spec?.nodeName ?? ""),
  "kube-system/cilium-envoy": async () => {},
  "kube-system/cilium-operator": ({ kube, signal }) =>
    applyAll(kube, ciliumDefinitions, "cilium-operator", signal),
  "kube-system/csi-nfs-controller": ({ kube, signal }) => provideVolumes(kube, "nfs.csi.k8s.io", signal),
  "csi-proxmox/proxmox-csi-plugin-controller": ({ kube, signal }) =>
    provideVolumes(kube, "csi.proxmox.sinextra.dev", signal),
  "kube-system/proxmox-cloud-controller-manager": ({ kube }) => greetNodes(kube),
  "longhorn-system/longhorn-driver-deployer": longhornDeployer,
  "longhorn-system/longhorn-manager": longhornManager,
  "longhorn-system/longhorn-uninstall": longhornUninstall,
  "longhorn-system/csi-provisioner": ({ kube, signal }) => provideVolumes(kube, "driver.longhorn.io", signal),
  "flux-system/flux-operator": fluxOperator,
  "flux-system/source-controller": saysReady("source.toolkit.fluxcd.io/v1", "GitRepository"),
  "flux-system/kustomize-controller": saysReady("kustomize.toolkit.fluxcd.io/v1", "Kustomization"),
  "argocd/argocd-application-controller": argoController,
};

async function applyAll(kube: KubeClient, manifests: Manifest[], fieldManager: string, signal: AbortSignal) {
  for (const manifest of manifests) await kube.apply(manifest, { fieldManager, isForced: true, signal });
}

/** They come from its operator, not from its chart. */
const ciliumDefinitions = [
  definitionOf("cilium.io", "v2", "CiliumLoadBalancerIPPool", "ciliumloadbalancerippools", "Cluster"),
  definitionOf(
    "cilium.io",
    "v2alpha1",
    "CiliumL2AnnouncementPolicy",
    "ciliuml2announcementpolicies",
    "Cluster",
  ),
] as Manifest[];

/** Machines by the order of their names. */
async function greetNodes(kube: KubeClient): Promise<void> {
  const nodes = await kube.nodes();
  const names = nodes.map(({ metadata }) => metadata.name).toSorted();
  for (const { metadata, spec } of nodes) {
    const labels = { "topology.kubernetes.io/region": "lab", "topology.kubernetes.io/zone": "hydra" };
    const providerID = spec?.providerID ?? `proxmox://lab/${2000 + names.indexOf(metadata.name)}`;
    const ref = { apiVersion: "v1", kind: "Node", name: metadata.name };
    await kube.patch(ref, { metadata: { labels }, spec: { providerID } });
  }
}

interface Application extends KubeObject {
  status?: { sync?: { status?: string } };
}

/** Finds in the repository exactly what is there already. */
async function argoController({ kube, signal }: Parameters<Program>[0]): Promise<void> {
  const kind = { apiVersion: "argoproj.io/v1alpha1", kind: "Application" };
  await eventually(() => kube.list(kind, signal));
  try {
    for await (const { type, object } of kube.watch<Application>(kind, signal)) {
      if (type === "DELETED" || object.status?.sync?.status === "Synced") continue;
      const { name, namespace = "" } = object.metadata;
      const status = { sync: { status: "Synced" }, health: { status: "Healthy" } };
      await kube.patch({ ...kind, name, namespace }, { status });
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}
