/** Add-ons in the cluster file: what may be written of each, and what it means once completed. */
export { completeAddons } from "./complete.ts";
export { findAddon } from "./find-addon.ts";
export { longhornExtensions, withMachineNeeds } from "./machine-needs.ts";
export { readRange } from "./cilium-schema.ts";
export { addonSchema, adviseAddon, commonOptionNames, type WrittenAddon } from "./schema.ts";
export { storageNodes } from "./storage.ts";
export { addonVersions, type AddonVersion, chooseVersion, isTested, versionLike } from "./versions.ts";
