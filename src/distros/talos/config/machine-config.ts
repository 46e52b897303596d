import type { Bundle } from "../../../secrets/index.ts";
import { checkConfig } from "./check-config.ts";
import { clusterSection } from "./documents/cluster-section.ts";
import type { MachineConfigDocument } from "./config-document.ts";
import { contractOf, writes, type Contract } from "./contract.ts";
import { controlPlaneDocuments } from "./documents/control-plane-documents.ts";
import { kubernetesDocuments } from "./documents/kubernetes-documents.ts";
import { hostnameDocument, linkDocuments, resolverDocuments } from "./documents/link-documents.ts";
import type { MachineIntent } from "./machine-intent.ts";
import { machineSection } from "./documents/machine-section.ts";
import { patchMachineConfig } from "./patch/patches.ts";
import { registryDocuments } from "./documents/registries.ts";
import { mainRemainder, systemDocuments } from "./documents/system-documents.ts";
import { systemVolumeDocuments, userVolumeDocuments } from "./documents/volumes.ts";

/** The machine config of one node: generated for its contract, then patched and checked. Pure and deterministic. */
export function machineConfig(intent: MachineIntent, bundle: Bundle): MachineConfigDocument[] {
  const contract = contractOf(intent.contract);
  const base = writes.kubernetesDocuments(contract)
    ? manyDocuments(intent, bundle, contract)
    : mainWithNetwork(intent, bundle, contract);
  const patches = intent.patches ?? [];
  const talos = intent.talos ?? intent.contract;
  const config = patchMachineConfig(base, patches, talos);
  checkConfig(config, patches, talos);
  return config;
}

/** Contracts before 1.14: one large document, from 1.12 with the network beside it. */
function mainWithNetwork(intent: MachineIntent, bundle: Bundle, contract: Contract): MachineConfigDocument[] {
  const main = {
    version: "v1alpha1",
    debug: false,
    persist: true,
    machine: machineSection(intent, bundle, contract),
    cluster: clusterSection(intent, bundle, contract),
  };
  return [
    main,
    ...registryDocuments(intent, contract),
    ...hostnameDocument(intent, contract),
    ...kubeSpanDocument(intent, contract),
    ...linkDocuments(intent, contract),
    ...resolverDocuments(intent, contract),
    ...systemVolumeDocuments(intent, contract),
    ...userVolumeDocuments(intent, contract),
  ];
}

/** From 1.14 nearly everything has a document of its own, in this order. */
const manyDocuments = (
  intent: MachineIntent,
  bundle: Bundle,
  contract: Contract,
): MachineConfigDocument[] => [
  mainRemainder(intent, bundle),
  ...systemDocuments(intent, bundle, contract),
  ...registryDocuments(intent, contract),
  ...hostnameDocument(intent, contract),
  ...kubeSpanDocument(intent, contract),
  ...kubernetesDocuments(intent, bundle),
  ...(intent.role === "control-plane" ? controlPlaneDocuments(intent, bundle) : []),
  ...linkDocuments(intent, contract),
  ...userVolumeDocuments(intent, contract),
];

const kubeSpanDocument = (intent: MachineIntent, contract: Contract): MachineConfigDocument[] =>
  intent.cluster.hasKubeSpan && writes.kubeSpanDocument(contract)
    ? [{ apiVersion: "v1alpha1", kind: "KubeSpanConfig", enabled: true }]
    : [];
