/** What is done with the add-ons of a cluster: described, compared, made, proved, removed. */
export { addonStep } from "./describe.ts";
export { addonsIn, type Addons } from "./addons.ts";
export type { AddonWorld } from "./addon-world.ts";
export { installAddons, resolveAddons, type ResolvedAddon } from "./resolve-addons.ts";
export type { AddonState, AddonStatus } from "./status.ts";
