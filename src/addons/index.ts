/** What runs on top of a cluster: one file per add-on with what it is made of, when it works and what proves it. */
export { defineAddon } from "./definition.ts";
export type {
  AddonDefinition,
  AddonInput,
  AddonPart,
  AwaitedObject,
  BundlePart,
  MadeSecret,
  ObjectsPart,
  Readiness,
  ReleasePart,
  SecretPlace,
  WorkloadKind,
} from "./definition.ts";
export { addonDefinitions } from "./definitions.ts";
export { resolveAddons, type ResolvedAddon } from "./resolve-addons.ts";
export { addonStep } from "./steps/describe.ts";
export { addonsIn, type Addons } from "./steps/addons.ts";
export type { AddonWorld } from "./steps/addon-world.ts";
export { storageClassesOf, type AddonStorage } from "./storage-classes.ts";
export type { AddonState, AddonStatus } from "./steps/status.ts";
