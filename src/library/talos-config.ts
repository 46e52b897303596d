/** `slipway/talos-config`: compiles Talos machine configs. Pure but for new keys; asks no node and no file. */
export {
  encodeMachineConfig,
  genConfig,
  machineConfig,
  patchMachineConfig,
  readDocuments,
  readPatch,
  readTalosconfig,
  singleLink,
  talosconfig,
} from "../distros/talos/index.ts";
export { SlipwayError } from "../errors/index.ts";
export { realClock, realRandom } from "../lib/index.ts";
export { createBundle, parseBundle, writeBundle } from "../secrets/index.ts";
export type {
  BondIntent,
  ClusterIntent,
  ConfigPatch,
  DiskSelector,
  EncryptionIntent,
  EncryptionKeyIntent,
  GenConfigOptions,
  GenConfigOutput,
  HiddenText,
  InstallIntent,
  IssueOptions,
  KubeletIntent,
  LinkIntent,
  LinkSettings,
  MachineConfigDocument,
  MachineIntent,
  MachineRole,
  NetworkIntent,
  RegistryIntent,
  RouteIntent,
  SecretRef,
  TalosconfigContext,
  TalosconfigFields,
  VlanIntent,
  VolumeIntent,
} from "../distros/talos/index.ts";
export type { ErrorFields, Position } from "../errors/index.ts";
export type { Clock, Random, YamlValue } from "../lib/index.ts";
export type { Identity } from "../pki/index.ts";
export type { Bundle, BundleOptions, CaName, CaRotation } from "../secrets/index.ts";
