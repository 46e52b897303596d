import type { Bundle } from "../../../../secrets/index.ts";
import { configDocument, type MachineConfigDocument } from "../config-document.ts";
import { encodedAccepted, encodedIdentity, sorted, unlessEmpty } from "../config-values.ts";
import type { Contract } from "../contract.ts";
import { diskExpression } from "./disk-selector.ts";
import { resolverDocuments } from "./link-documents.ts";
import type { MachineIntent } from "../machine-intent.ts";
import { systemVolumeDocuments } from "./volumes.ts";

/** What is left of the large document from contract 1.14 on. */
export function mainRemainder(intent: MachineIntent, bundle: Bundle): MachineConfigDocument {
  const isControlPlane = intent.role === "control-plane";
  const { externalCloudProvider } = intent.cluster;
  return {
    version: "v1alpha1",
    debug: false,
    persist: true,
    machine: {
      type: isControlPlane ? "controlplane" : "worker",
      token: bundle.trustdToken,
      ca: encodedIdentity(bundle.os, isControlPlane),
      acceptedCAs: encodedAccepted(bundle, "os"),
      certSANs: intent.certSANs ?? [],
      features: { diskQuotaSupport: true },
    },
    cluster: {
      token: bundle.bootstrapToken,
      etcd: isControlPlane
        ? { ca: encodedIdentity(bundle.etcd, true), advertisedSubnets: unlessEmpty(intent.nodeSubnets) }
        : undefined,
      externalCloudProvider: externalCloudProvider && {
        enabled: true,
        manifests: isControlPlane ? unlessEmpty(externalCloudProvider.manifests) : undefined,
      },
    },
  };
}

/** Discovery, installation and the host itself, in the documents of 1.14. */
export function systemDocuments(
  intent: MachineIntent,
  bundle: Bundle,
  contract: Contract,
): MachineConfigDocument[] {
  const { sysctls = {}, kernelModules = [] } = intent;
  return [
    ...discoveryDocuments(intent, bundle),
    ...installDocument(intent),
    ...resolverDocuments(intent, contract),
    ...(Object.keys(sysctls).length ? [configDocument("SysctlConfig", { params: sorted(sysctls) })] : []),
    ...kernelModules.map(({ name, parameters }) =>
      configDocument("KernelModuleConfig", { name, parameters: unlessEmpty(parameters) }),
    ),
    ...systemVolumeDocuments(intent, contract),
    configDocument("FilesystemTrimConfig", { interval: "168h0m0s" }),
    configDocument("SecurityProfileConfig", { workloadIsolation: intent.isWorkloadIsolated ?? true }),
  ];
}

const discoveryDocuments = (intent: MachineIntent, bundle: Bundle): MachineConfigDocument[] => [
  ...(intent.cluster.hasDiscovery === false
    ? []
    : [
        configDocument("DiscoveryServiceConfig", {
          name: "default",
          endpoint: "https://discovery.talos.dev/",
        }),
      ]),
  configDocument("DiscoveryIdentityConfig", {
    clusterID: bundle.clusterId,
    clusterSecret: bundle.clusterSecret,
  }),
];

/** Without a disk there is nothing to install onto, so the image alone is not written. */
function installDocument({ install }: MachineIntent): MachineConfigDocument[] {
  if (install?.disk === undefined) return [];
  return [
    configDocument("UnattendedInstallConfig", {
      installer: { image: install.image },
      provisioning: { diskSelector: { match: diskExpression(install.disk) }, wipe: false },
    }),
  ];
}
