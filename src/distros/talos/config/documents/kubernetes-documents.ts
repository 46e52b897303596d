import { acceptedBeside, type Bundle } from "../../../../secrets/index.ts";
import { defaultNetwork } from "./cluster-section.ts";
import { configDocument, type MachineConfigDocument } from "../config-document.ts";
import { sorted, unlessEmpty } from "../config-values.ts";
import { mountNotPossible } from "../errors.ts";
import type { MachineIntent } from "../machine-intent.ts";
import { controlPlaneLabels } from "./machine-section.ts";

/** Kubernetes as every node sees it, in the documents of contract 1.14. */
export function kubernetesDocuments(intent: MachineIntent, bundle: Bundle): MachineConfigDocument[] {
  const { cluster } = intent;
  const isControlPlane = intent.role === "control-plane";
  return [
    configDocument("KubeClusterConfig", { clusterName: cluster.name, endpoint: cluster.endpoint }),
    nodeDocument(intent),
    kubeletDocument(intent),
    configDocument("KubeNetworkConfig", defaultNetwork(cluster)),
    authorityDocument(bundle, isControlPlane),
    configDocument("KubePrismConfig", { port: 7445 }),
  ];
}

/** A worker issues nothing, so all it knows are authorities that it accepts. */
function authorityDocument(bundle: Bundle, isControlPlane: boolean): MachineConfigDocument {
  const { kubernetes } = bundle;
  const beside = acceptedBeside(bundle, "kubernetes");
  return configDocument(
    "KubeAPIServerCAConfig",
    isControlPlane
      ? { issuingCA: { ...kubernetes }, acceptedCAs: unlessEmpty(beside) }
      : { acceptedCAs: [kubernetes.cert, ...beside] },
  );
}

function nodeDocument(intent: MachineIntent): MachineConfigDocument {
  const isControlPlane = intent.role === "control-plane";
  const isReserved = isControlPlane && intent.cluster.isSchedulingOnControlPlanes !== true;
  return configDocument("KubeNodeConfig", {
    nodeIP: intent.nodeSubnets?.length ? { validSubnets: intent.nodeSubnets } : {},
    labels: sorted({
      ...(isControlPlane && { [controlPlaneRole]: "", ...controlPlaneLabels }),
      ...intent.labels,
    }),
    annotations: sorted(intent.annotations),
    taints: sorted({ ...(isReserved && { [controlPlaneRole]: "NoSchedule" }), ...intent.taints }),
  });
}

const controlPlaneRole = "node-role.kubernetes.io/control-plane";

function kubeletDocument({ kubelet = {}, cluster }: MachineIntent): MachineConfigDocument {
  // Talos passes everything under /var/mnt on to the kubelet; other folders have no way in any more.
  const folder = kubelet.mounts?.find((mount) => !mount.startsWith("/var/mnt/"));
  if (folder !== undefined) throw mountNotPossible({ folder });
  return configDocument("KubeletConfig", {
    image: `ghcr.io/siderolabs/kubelet:v${cluster.kubernetes}`,
    config: sorted(kubelet.config) ?? {},
    extraArgs: sorted(kubelet.extraArgs),
    clusterDNS: unlessEmpty(kubelet.clusterDns),
    defaultRuntimeSeccompProfileEnabled: true,
  });
}
