import type { KubeClient, Manifest } from "../../../src/clients/kube/index.ts";
import { workloadOf } from "../../../src/sim/kube/operators/operator.ts";
import { eventually } from "../kube/objects.ts";
import type { Program } from "./fake-kubelet.ts";

const namespace = "longhorn-system";
const apiVersion = "longhorn.io/v1beta2";
const flag = { apiVersion, kind: "Setting", namespace, name: "deleting-confirmation-flag" };

const csiParts: Manifest[] = [
  workloadOf(
    "DaemonSet",
    { name: "longhorn-csi-plugin", namespace },
    "longhornio/longhorn-manager:v1",
  ) as Manifest,
  ...["attacher", "provisioner", "resizer", "snapshotter"].map(
    (part) =>
      workloadOf("Deployment", { name: `csi-${part}`, namespace }, `longhornio/csi-${part}:v6`) as Manifest,
  ),
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "CSIDriver",
    metadata: { name: "driver.longhorn.io" },
    spec: { attachRequired: true, podInfoOnMount: true },
  },
];

const apply = (kube: KubeClient, manifest: Manifest, signal: AbortSignal) =>
  kube.apply(manifest, { fieldManager: "longhorn-manager", isForced: true, signal });

/** Makes the parts that Kubernetes talks to, after its chart is long installed. */
export const longhornDeployer: Program = async ({ kube, signal }) => {
  for (const part of csiParts) await apply(kube, part, signal);
};

/** Keeps its node and its settings. */
export const longhornManager: Program = async ({ kube, pod, signal }) => {
  const name = pod.spec?.nodeName ?? "";
  const node = { apiVersion, kind: "Node", metadata: { name, namespace }, spec: { allowScheduling: true } };
  await eventually(() => apply(kube, node, signal));
  const lastTransitionTime = new Date().toISOString();
  const conditions = ["Ready", "Schedulable"].map((type) => ({ type, status: "True", lastTransitionTime }));
  const ref = { apiVersion, kind: "Node", namespace, name };
  await kube.patch(ref, { status: { conditions } }, { subresource: "status" });
  if (await kube.get(flag, signal)) return;
  const { name: setting, ...kind } = flag;
  const metadata = { name: setting, namespace };
  await apply(kube, { apiVersion, kind: kind.kind, metadata, value: "false" }, signal);
};

/** Refuses to give up data unless somebody has confirmed it, as its makers want. */
export const longhornUninstall: Program = async ({ kube }) => {
  const setting = await kube.get(flag);
  if (setting?.["value"] !== "true") throw new Error("the deletion is not confirmed");
  for (const { apiVersion: version, kind, metadata } of csiParts)
    await kube.delete({ apiVersion: version, kind, ...metadata }, { propagation: "Background" });
};
