/** Add-ons in the cluster file: what each kind of them has to tell, and what of them is the same for all. */
export { completeAddons } from "./complete.ts";
export { type AddonDraft, addonDrafts } from "./drafts.ts";
export { addonWith } from "./find-addon.ts";
export { type AddonKind, type AddonSurroundings, kindNamed, type WrittenClass } from "./kind.ts";
export { withMachineNeeds } from "./machine-needs.ts";
export { addonsField } from "./schema.ts";
export { writtenClasses } from "./storage-classes.ts";
export { type AddonVersion, chooseVersion, isTested, tested, versionLike } from "./versions.ts";
export type { WrittenAddon, WrittenOptions } from "./written.ts";
