import { type Cluster, findAddon, talosOf } from "../../spec/index.ts";
import type { ClusterIntent } from "./machine-intent.ts";

/** Kubernetes as all nodes of the cluster are told it. */
export function clusterFor(cluster: Cluster): ClusterIntent {
  const { network, kubernetesSettings: said = {} } = cluster;
  const { hasDiscovery, hasKubeSpan } = talosOf(cluster).settings ?? {};
  const cilium = findAddon(cluster, "cilium");
  const isKubeProxyOff =
    said.hasKubeProxy === undefined ? cilium?.options.kubeProxyReplacement : !said.hasKubeProxy;
  return {
    name: cluster.name,
    endpoint: cluster.endpoint,
    kubernetes: cluster.kubernetes,
    dnsDomain: network.dnsDomain,
    podSubnets: network.podSubnets,
    serviceSubnets: network.serviceSubnets,
    ...((cilium ?? said.cni === "none") && { cni: "none" as const }),
    ...(isKubeProxyOff !== undefined && { isKubeProxyOff }),
    // With no worker in the file somebody has to run the workloads.
    isSchedulingOnControlPlanes:
      said.isSchedulingOnControlPlanes ?? cluster.nodes.every(({ role }) => role === "control-plane"),
    ...(hasDiscovery !== undefined && { hasDiscovery }),
    ...(hasKubeSpan !== undefined && { hasKubeSpan }),
    ...(said.externalCloudProvider && { externalCloudProvider: said.externalCloudProvider }),
    ...(said.extraManifests && { extraManifests: said.extraManifests }),
    ...(said.inlineManifests && { inlineManifests: said.inlineManifests }),
  };
}
