/** Talos: from machines that answer in maintenance mode to a cluster, and the files people need to use it. */
export { issueKubernetesAdmin, issueTalosClient, type IssueOptions } from "./client-certificates.ts";
export { encodeMachineConfig, type MachineConfigDocument } from "./config-document.ts";
export type { ConfigPatch } from "./config-patch.ts";
export { contractOf, type Contract } from "./contract.ts";
export { contractOfConfig } from "./contract-of-config.ts";
export {
  genConfig,
  genConfigOutputs,
  genSecrets,
  patchConfigText,
  type GenConfigOptions,
  type GenConfigOutput,
} from "./gen-config.ts";
export { intentFor, type PatchFiles } from "./intent-for.ts";
export { secretsIn, withSecrets, type NeededSecret } from "./intent-secrets.ts";
export { kubeconfig, writeKubeconfig, type KubeconfigFields } from "./kubeconfig.ts";
export { machineConfig } from "./machine-config.ts";
export type * from "./machine-intent.ts";
export { singleLink, type NetworkIntent } from "./network-intent.ts";
export { readPatchFiles } from "./patch-files.ts";
export { readPatchFlag } from "./patch-flags.ts";
export { patchMachineConfig } from "./patches.ts";
export { readDocuments, readPatch } from "./read-patch.ts";
export { readTalosconfig, type TalosconfigContext } from "./read-talosconfig.ts";
export { remainderPatches } from "./remainder-patches.ts";
export { talosDefaults, type TalosDefaults } from "./talos-defaults.ts";
export { talosconfig, writeTalosconfig, type TalosconfigFields } from "./talosconfig.ts";
export { isConfigFile } from "./steps/config-files-want.ts";
export { talosDistribution } from "./steps/distribution.ts";
export type { TalosWorld } from "./steps/talos-access.ts";
