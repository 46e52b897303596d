/** What several add-ons share: how one is defined, fields of their options, parts they are made of, proofs. */
export { defineAddon } from "./definition.ts";
export type {
  AddonDefinition,
  AddonInput,
  AddonInstallation,
  AddonPart,
  AddonSecrets,
  AwaitedObject,
  BundlePart,
  MadeSecret,
  ObjectsPart,
  Readiness,
  ReleasePart,
  SecretKit,
  SecretPlace,
  Workload,
  WorkloadKind,
} from "./definition.ts";
export {
  credentialsField,
  gitCredentials,
  type GitCredentials,
  gitProblems,
  repositoryFolder,
  secretPlace,
} from "./git-credentials.ts";
export {
  accountMark,
  accountPart,
  kindKnown,
  namespacePart,
  objectsPart,
  secretObject,
  storageClass,
} from "./object-parts.ts";
export { type NoOptions, optionsOf } from "./options-of.ts";
export { type ClaimProof, proveClaim } from "./prove-claim.ts";
export { notYet, shortList, taintedNodes, uninitialized } from "./prove-nodes.ts";
export { namesByDhcp, needsProxmox } from "./proxmox-only.ts";
export { mergeValues, releasePart, valueAt } from "./release-part.ts";
export { absoluteFolder, isDefaultField, reclaimPolicyField, type ReclaimPolicy } from "./storage-fields.ts";
