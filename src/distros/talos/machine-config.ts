import type { YamlValue } from "../../lib/index.ts";
import type { Bundle } from "../../secrets/index.ts";
import { clusterSection } from "./cluster-section.ts";
import type { MachineConfigDocument } from "./config-document.ts";
import { encodedIdentity, sorted, unlessEmpty } from "./config-values.ts";
import { contractOf, newestContract, oldestContract, writes, type Contract } from "./contract.ts";
import { kindProblem } from "./shapes/document-kinds.ts";
import { contractUnknown, kindUnknown } from "./errors.ts";
import type { MachineIntent } from "./machine-intent.ts";
import { networkDocuments, networkSection, registryDocuments, volumeDocuments } from "./node-documents.ts";
import { patchMachineConfig } from "./patches.ts";

/** The machine config of one node: generated for its contract, then patched. Pure and deterministic. */
export function machineConfig(intent: MachineIntent, bundle: Bundle): MachineConfigDocument[] {
  const contract = contractOf(intent.contract);
  if (contract.minor < oldestContract || contract.minor > newestContract)
    throw contractUnknown({ contract: contract.name });
  const base: MachineConfigDocument[] = [
    {
      version: "v1alpha1",
      debug: false,
      persist: true,
      machine: machineSection(intent, bundle, contract),
      cluster: clusterSection(intent, bundle, contract),
    },
    ...registryDocuments(intent, contract),
    ...networkDocuments(intent, contract),
    ...volumeDocuments(intent, contract),
  ];
  const patched = patchMachineConfig(base, intent.patches ?? []);
  refuseUnknownKinds(patched, contractOf(intent.talos ?? intent.contract));
  return patched;
}

function refuseUnknownKinds(documents: MachineConfigDocument[], talos: Contract): void {
  for (const { kind } of documents) {
    const problem = typeof kind === "string" ? kindProblem(kind, talos.minor) : undefined;
    if (problem !== undefined) throw kindUnknown({ kind: String(kind), problem });
  }
}

function machineSection(intent: MachineIntent, bundle: Bundle, contract: Contract): MachineConfigDocument {
  const isControlPlane = intent.role === "control-plane";
  return {
    type: isControlPlane ? "controlplane" : "worker",
    token: bundle.trustdToken,
    ca: encodedIdentity(bundle.os, isControlPlane),
    certSANs: intent.certSANs ?? [],
    kubelet: kubeletSection(intent, contract),
    network: networkSection(intent, contract),
    disks: diskSection(intent, contract),
    install: {
      disk: intent.install?.disk,
      extraKernelArgs: unlessEmpty(intent.install?.extraKernelArgs),
      image: intent.install?.image,
      wipe: false,
      grubUseUKICmdline: writes.grubUseUkiCmdline(contract) ? true : undefined,
    },
    sysctls: sorted(intent.sysctls),
    registries: registrySection(intent, contract),
    features: featureSection(contract),
    nodeLabels: sorted({
      ...(isControlPlane && { "node.kubernetes.io/exclude-from-external-load-balancers": "" }),
      ...intent.labels,
    }),
    nodeTaints: sorted(intent.taints),
  };
}

function kubeletSection(intent: MachineIntent, contract: Contract): MachineConfigDocument {
  // Volumes of their own are passed on to the kubelet by Talos; disks of the older kind are not.
  const mounts = writes.userVolumes(contract) ? [] : (intent.volumes ?? []);
  return {
    image: `ghcr.io/siderolabs/kubelet:v${intent.cluster.kubernetes}`,
    extraMounts: unlessEmpty(
      mounts.map(({ name }) => ({
        destination: `/var/mnt/${name}`,
        type: "bind",
        source: `/var/mnt/${name}`,
        options: ["bind", "rshared", "rw"],
      })),
    ),
    defaultRuntimeSeccompProfileEnabled: true,
    nodeIP: intent.nodeSubnets?.length ? { validSubnets: intent.nodeSubnets } : undefined,
    disableManifestsDirectory: true,
  };
}

const diskSection = (intent: MachineIntent, contract: Contract): YamlValue =>
  writes.userVolumes(contract)
    ? undefined
    : unlessEmpty(
        (intent.volumes ?? []).map(({ name, device }) => ({
          device,
          partitions: [{ mountpoint: `/var/mnt/${name}` }],
        })),
      );

function registrySection(intent: MachineIntent, contract: Contract): YamlValue {
  const mirrors = Object.entries(intent.registryMirrors ?? {});
  if (mirrors.length === 0 || writes.networkDocuments(contract)) return undefined;
  return { mirrors: sorted(Object.fromEntries(mirrors.map(([host, endpoints]) => [host, { endpoints }]))) };
}

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
