/** Talos: from machines that answer in maintenance mode to a cluster, and the files people need to use it. */
export { talos } from "./declare.ts";
export { intentFor, type PatchFiles } from "./intent/intent-for.ts";
export { readPatchFiles } from "./intent/patch-files.ts";
export {
  contractOf,
  contractOfConfig,
  encodeMachineConfig,
  genConfig,
  genConfigOutputs,
  genSecrets,
  issueKubernetesAdmin,
  issueTalosClient,
  kubeconfig,
  machineConfig,
  patchConfigText,
  patchMachineConfig,
  readDocuments,
  readPatch,
  readPatchFlag,
  readTalosconfig,
  remainderPatches,
  secretsIn,
  singleLink,
  talosconfig,
  withSecrets,
  writeTalosconfig,
} from "./config/index.ts";
export type * from "./config/index.ts";
