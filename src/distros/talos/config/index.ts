/**
 * A compiler of Talos machine configs: what a machine shall be goes in, the documents of a Talos contract come out. It
 * patches and compares configs, and makes the files that give access. It knows nothing of cluster files, plans and nodes,
 * so that it could be a package of its own; only its secrets are those that this program stores.
 */
export type * from "./machine-intent.ts";
export * from "./network-intent.ts";
export { secretsIn, withSecrets, type NeededSecret } from "./intent-secrets.ts";
export { contractOf, type Contract } from "./contract.ts";
export { contractOfConfig } from "./contract-of-config.ts";
export type { TalosDefaults } from "./talos-defaults.ts";
export { machineConfig } from "./machine-config.ts";
export { encodeMachineConfig, type MachineConfigDocument } from "./config-document.ts";
export {
  genConfig,
  genConfigOutputs,
  genSecrets,
  patchConfigText,
  type GenConfigOptions,
  type GenConfigOutput,
} from "./gen-config.ts";

export type { ConfigPatch } from "./patch/config-patch.ts";
export { readPatchFlag } from "./patch/patch-flags.ts";
export { patchMachineConfig } from "./patch/patches.ts";
export { readDocuments, readPatch, viewDocuments } from "./patch/read-patch.ts";
export { remainderPatches } from "./patch/remainder-patches.ts";

export {
  authoritiesIn,
  stageReached,
  stageWanted,
  withAuthority,
  withRunningAuthority,
} from "./changes/authorities.ts";
export { withRunningNames } from "./changes/certificate-names.ts";
export { compareConfigs, type FieldChange } from "./changes/compare-configs.ts";
export { hotEffect, restartsKubelet, type ConfigEffect } from "./changes/config-effects.ts";
export { areHot } from "./changes/hot-fields.ts";
export {
  components,
  imageInVersion,
  imageOf,
  settingsOf,
  versionOfImage,
  withImage,
  withoutVip,
  withRunningImages,
  type Component,
} from "./changes/kubernetes-images.ts";
export { settledFacts, type SettledFacts } from "./changes/settled-facts.ts";

export { issueTalosClient } from "./access/client-certificates.ts";
export { issueKubernetesAdmin, kubeconfig } from "./access/kubeconfig.ts";
export type { IssueOptions, KubeconfigFields } from "../../../pki/index.ts";
export { readTalosconfig, type TalosconfigContext } from "./access/read-talosconfig.ts";
export { talosconfig, writeTalosconfig, type TalosconfigFields } from "./access/talosconfig.ts";
