import type { YamlValue } from "../../../../lib/index.ts";
import type { Bundle } from "../../../../secrets/index.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import { encodedAccepted, encodedIdentity, sorted, unlessEmpty } from "../config-values.ts";
import { writes, type Contract } from "../contract.ts";
import { legacyDisk } from "./disk-selector.ts";
import type { MachineIntent } from "../machine-intent.ts";
import { networkSection, timeSection } from "./network-section.ts";
import { registrySection } from "./registries.ts";
import { diskSection, encryptionSection } from "./volumes.ts";

/** `machine` of the large document before contract 1.14. */
export function machineSection(
  intent: MachineIntent,
  bundle: Bundle,
  contract: Contract,
): MachineConfigDocument {
  const isControlPlane = intent.role === "control-plane";
  return {
    type: isControlPlane ? "controlplane" : "worker",
    token: bundle.trustdToken,
    ca: encodedIdentity(bundle.os, isControlPlane),
    acceptedCAs: encodedAccepted(bundle, "os"),
    certSANs: intent.certSANs ?? [],
    kubelet: kubeletSection(intent, contract),
    network: networkSection(intent, contract),
    disks: diskSection(intent, contract),
    install: {
      ...legacyDisk(intent.install?.disk),
      extraKernelArgs: unlessEmpty(intent.install?.extraKernelArgs),
      image: intent.install?.image,
      wipe: false,
      grubUseUKICmdline: writes.grubUseUkiCmdline(contract) ? true : undefined,
    },
    time: timeSection(intent, contract),
    sysctls: sorted(intent.sysctls),
    registries: registrySection(intent, contract),
    systemDiskEncryption: encryptionSection(intent, contract),
    features: featureSection(contract),
    kernel: kernelSection(intent),
    nodeLabels: sorted({ ...(isControlPlane && controlPlaneLabels), ...intent.labels }),
    nodeAnnotations: sorted(intent.annotations),
    nodeTaints: sorted(intent.taints),
  };
}

/** Load balancers of clouds would otherwise send traffic of workloads to control planes. */
export const controlPlaneLabels = { "node.kubernetes.io/exclude-from-external-load-balancers": "" };

function kubeletSection(intent: MachineIntent, contract: Contract): MachineConfigDocument {
  // Volumes of their own are passed on to the kubelet by Talos; disks of the older kind are not.
  const volumes = writes.userVolumes(contract) ? [] : (intent.volumes ?? []);
  const mounts = [...(intent.kubelet?.mounts ?? []), ...volumes.map(({ name }) => `/var/mnt/${name}`)];
  return {
    image: `ghcr.io/siderolabs/kubelet:v${intent.cluster.kubernetes}`,
    clusterDNS: unlessEmpty(intent.kubelet?.clusterDns),
    extraArgs: sorted(intent.kubelet?.extraArgs),
    extraMounts: unlessEmpty(
      [...new Set(mounts)].map((folder) => ({
        destination: folder,
        type: "bind",
        source: folder,
        options: ["bind", "rshared", "rw"],
      })),
    ),
    extraConfig: sorted(intent.kubelet?.config),
    defaultRuntimeSeccompProfileEnabled: true,
    nodeIP: intent.nodeSubnets?.length ? { validSubnets: intent.nodeSubnets } : undefined,
    disableManifestsDirectory: true,
  };
}

const kernelSection = (intent: MachineIntent): YamlValue =>
  intent.kernelModules?.length
    ? {
        modules: intent.kernelModules.map(({ name, parameters }) => ({
          name,
          parameters: unlessEmpty(parameters),
        })),
      }
    : undefined;

function featureSection(contract: Contract): MachineConfigDocument {
  const locked = writes.lockedFeatures(contract) ? true : undefined;
  return {
    rbac: locked,
    stableHostname: locked,
    apidCheckExtKeyUsage: locked,
    diskQuotaSupport: true,
    kubePrism: { enabled: true, port: 7445 },
    hostDNS: { enabled: true, forwardKubeDNSToHost: true },
  };
}
