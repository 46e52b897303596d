import { conditionOf, type KubeClient } from "../clients/kube/index.ts";
import { addonVersions, type Cluster, type LonghornAddon, type LonghornOptions } from "../spec/index.ts";
import { defineAddon } from "./definition.ts";
import { namespacePart } from "./object-parts.ts";
import { proveClaim } from "./prove-claim.ts";
import { notYet } from "./prove-nodes.ts";
import { releasePart } from "./release-part.ts";

const namespace = "longhorn-system";
const apiVersion = "longhorn.io/v1beta2";

/** Volumes kept on several nodes at once. */
export const longhorn = defineAddon<LonghornAddon>({
  name: "longhorn",
  versions: addonVersions.longhorn,
  after: ["proxmox-ccm"],

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

  async prove(kube, { addon }, signal) {
    const fault = await storeFault(kube, signal);
    if (fault !== undefined) return notYet(fault);
    return proveClaim(kube, { id: addon.id, storageClass: "longhorn", access: "ReadWriteOnce" }, signal);
  },

  /** Its makers ask for this before they delete everything. */
  async beforeRemoval(kube, signal) {
    const flag = { apiVersion, kind: "Setting", namespace, name: "deleting-confirmation-flag" };
    if (await kube.get(flag, signal)) await kube.patch(flag, { value: "true" }, { signal });
  },

  loses: "every volume it holds, with all their data",
});

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
