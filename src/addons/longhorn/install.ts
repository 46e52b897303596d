import { conditionOf, type KubeClient } from "../../clients/kube/index.ts";
import type { Cluster } from "../../spec/index.ts";
import { type AddonInstallation, namespacePart, notYet, proveClaim, releasePart } from "../common/index.ts";
import type { LonghornOptions } from "./options.ts";

const namespace = "longhorn-system";
const apiVersion = "longhorn.io/v1beta2";

/** Volumes kept on several nodes at once. */
export const installation: AddonInstallation<LonghornOptions> = {
  parts: ({ addon, cluster, version }) => [
    namespacePart(namespace, "privileged"),
    releasePart(addon, {
      name: "longhorn",
      namespace,
      chart: { repository: "https://charts.longhorn.io", name: "longhorn" },
      version,
      values: longhornValues(addon.options, cluster),
    }),
  ],

  readiness: () => ({
    // The deployer makes the CSI parts itself, after helm has long gone.
    workloads: [
      { kind: "DaemonSet", namespace, name: "longhorn-manager" },
      { kind: "Deployment", namespace, name: "longhorn-driver-deployer" },
      { kind: "Deployment", namespace, name: "longhorn-ui" },
      { kind: "DaemonSet", namespace, name: "longhorn-csi-plugin" },
      ...["attacher", "provisioner", "resizer", "snapshotter"].map((part) => ({
        kind: "Deployment" as const,
        namespace,
        name: `csi-${part}`,
      })),
    ],
  }),

  async prove(kube, { addon }, limits) {
    const fault = await storeFault(kube, limits.signal);
    if (fault !== undefined) return notYet(fault);
    return proveClaim(kube, { id: addon.id, storageClass: "longhorn", access: "ReadWriteOnce" }, limits);
  },

  /** Its makers ask for this before they delete everything. */
  async beforeRemoval(kube, signal) {
    const flag = { apiVersion, kind: "Setting", namespace, name: "deleting-confirmation-flag" };
    if (await kube.get(flag, signal)) await kube.patch(flag, { value: "true" }, { signal });
  },
};

function longhornValues(options: LonghornOptions, cluster: Cluster): Record<string, unknown> {
  const { dataPath, replicas, isDefault } = options;
  const helpers = Math.min(3, cluster.nodes.length);
  return {
    defaultSettings: {
      defaultDataPath: dataPath,
      defaultReplicaCount: JSON.stringify({ v1: String(replicas), v2: String(replicas) }),
    },
    persistence: { defaultClass: isDefault, defaultClassReplicaCount: replicas },
    csi: {
      attacherReplicaCount: helpers,
      provisionerReplicaCount: helpers,
      resizerReplicaCount: helpers,
      snapshotterReplicaCount: helpers,
    },
    longhornUI: { replicas: Math.min(2, cluster.nodes.length) },
  };
}

/** The first of its nodes that cannot take data, in its own words. */
async function storeFault(kube: KubeClient, signal: AbortSignal): Promise<string | undefined> {
  const { items } = await kube.list({ apiVersion, kind: "Node", namespace }, signal);
  if (items.length === 0) return "Longhorn knows no node yet";
  for (const node of items) {
    const bad = ["Ready", "Schedulable"]
      .map((type) => ({ type, condition: conditionOf(node, type) }))
      .find(({ condition }) => condition?.status !== "True");
    if (!bad) continue;
    const why = bad.condition?.message ?? bad.condition?.reason ?? "it does not say why";
    return `Longhorn's node ${node.metadata.name} is not ${bad.type}: ${why}`;
  }
  return undefined;
}
