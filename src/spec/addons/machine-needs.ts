import type { Cluster, Node } from "../model/cluster.ts";
import { hasKnownAddress } from "../model/dhcp-address.ts";
import { type GuestCluster, hasKubernetes } from "../model/distribution-kinds.ts";
import { addonWith } from "./find-addon.ts";

/** Tells the hypervisor which address a machine was given. */
const agentExtension = "siderolabs/qemu-guest-agent";

/**
 * The cluster with what its add-ons and its network need of its machines, whoever looks after them: a setting that is missing when
 * the machines are made cannot be had later without new ones.
 */
export function withMachineNeeds(cluster: Cluster): Cluster {
  const { distribution, kubernetesSettings } = cluster;
  if (!("extensions" in distribution))
    return hasKubernetes(cluster) ? withPackages(cluster, distribution) : cluster;
  const needed = [
    ...cluster.addons.flatMap(({ facts }) => facts.machines?.extensions ?? []),
    ...(cluster.nodes.every(hasKnownAddress) ? [] : [agentExtension]),
  ];
  return {
    ...cluster,
    ...(addonWith(cluster, "isCloudController") && {
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
    ...(addonWith(cluster, "approvesServingCertificates") && {
      nodes: cluster.nodes.map(withServingCertificate),
    }),
  };
}

function withPackages(cluster: Cluster, distribution: GuestCluster["distribution"]): Cluster {
  const needed = cluster.addons.flatMap(({ facts }) => facts.machines?.packages ?? []);
  if (needed.length === 0) return cluster;
  const packages = [...new Set([...distribution.packages, ...needed])];
  return { ...cluster, distribution: { ...distribution, packages } };
}

/** The kubelet asks for a certificate that others can check, instead of signing one itself. */
function withServingCertificate(node: Node): Node {
  const { kubelet } = node.talos ?? {};
  const args = { "rotate-server-certificates": "true", ...kubelet?.args };
  return { ...node, talos: { ...node.talos, kubelet: { ...kubelet, args } } };
}
