import type { K3sDistribution } from "../k3s-model.ts";
import type { Cluster, Node } from "../model.ts";
import { hasKnownAddress } from "../later-address.ts";
import { findAddon } from "./find-addon.ts";

/** Extensions without which Longhorn does not run. */
export const longhornExtensions = ["siderolabs/iscsi-tools", "siderolabs/util-linux-tools"];

/** Tells the hypervisor which address a machine was given. */
const agentExtension = "siderolabs/qemu-guest-agent";

/**
 * The cluster with what its add-ons and its network need of its machines, whoever looks after them: a setting that is missing when
 * the machines are made cannot be had later without new ones.
 */
export function withMachineNeeds(cluster: Cluster): Cluster {
  if (cluster.distribution.kind === "k3s") return withPackages(cluster, cluster.distribution);
  if (cluster.distribution.kind !== "talos") return cluster;
  const hasCloud = findAddon(cluster, "proxmox-ccm") !== undefined;
  const isApproved = findAddon(cluster, "kubelet-csr-approver") !== undefined;
  const isLonghorn = findAddon(cluster, "longhorn") !== undefined;
  const { distribution, kubernetesSettings } = cluster;
  const needed = [
    ...(isLonghorn ? longhornExtensions : []),
    ...(cluster.nodes.every(hasKnownAddress) ? [] : [agentExtension]),
  ];
  return {
    ...cluster,
    ...(hasCloud && {
      hasCloudAccount: true as const,
      kubernetesSettings: { externalCloudProvider: { manifests: [] }, ...kubernetesSettings },
    }),
    // Nobody knows what is in an image of one's own; a folder holds the factory's.
    ...(needed.length > 0 &&
      (!distribution.image || "folder" in distribution.image) && {
        distribution: {
          ...distribution,
          extensions: [...new Set([...distribution.extensions, ...needed])].toSorted(),
        },
      }),
    ...(isApproved && { nodes: cluster.nodes.map(withServingCertificate) }),
  };
}

/** What Longhorn needs of a system that is no Talos. */
const longhornPackages = ["open-iscsi", "nfs-common"];

function withPackages(cluster: Cluster, distribution: K3sDistribution): Cluster {
  if (findAddon(cluster, "longhorn") === undefined) return cluster;
  const packages = [...new Set([...distribution.packages, ...longhornPackages])];
  return { ...cluster, distribution: { ...distribution, packages } };
}

/** The kubelet asks for a certificate that others can check, instead of signing one itself. */
function withServingCertificate(node: Node): Node {
  const { kubelet } = node.talos ?? {};
  const args = { "rotate-server-certificates": "true", ...kubelet?.args };
  return { ...node, talos: { ...node.talos, kubelet: { ...kubelet, args } } };
}
