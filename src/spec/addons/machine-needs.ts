import type { Cluster, Node } from "../model.ts";
import { findAddon } from "./find-addon.ts";

/** Extensions without which Longhorn does not run. */
export const longhornExtensions = ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"];

/**
 * The cluster with what its add-ons need of its machines, whoever looks after them: a setting that is missing when
 * the machines are made cannot be had later without new ones.
 */
export function withMachineNeeds(cluster: Cluster): Cluster {
  if (cluster.distribution.kind !== "talos") return cluster;
  const hasCloud = findAddon(cluster, "proxmox-ccm") !== undefined;
  const isApproved = findAddon(cluster, "kubelet-csr-approver") !== undefined;
  const isLonghorn = findAddon(cluster, "longhorn") !== undefined;
  const { distribution, kubernetesSettings } = cluster;
  return {
    ...cluster,
    ...(hasCloud && {
      hasCloudAccount: true as const,
      kubernetesSettings: { externalCloudProvider: { manifests: [] }, ...kubernetesSettings },
    }),
    // Nobody knows what is in an image of one's own; a folder holds the factory's.
    ...(isLonghorn &&
      (!distribution.image || "folder" in distribution.image) && {
        distribution: {
          ...distribution,
          extensions: [...new Set([...distribution.extensions, ...longhornExtensions])].toSorted(),
        },
      }),
    ...(isApproved && { nodes: cluster.nodes.map(withServingCertificate) }),
  };
}

/** The kubelet asks for a certificate that others can check, instead of signing one itself. */
function withServingCertificate(node: Node): Node {
  const { kubelet } = node.talos ?? {};
  const args = { "rotate-server-certificates": "true", ...kubelet?.args };
  return { ...node, talos: { ...node.talos, kubelet: { ...kubelet, args } } };
}
