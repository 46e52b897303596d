import type { Addon, AddonName } from "./model.ts";

/** The add-on of a known name, if the cluster has it. */
export const findAddon = <Name extends AddonName>(
  { addons }: { addons: readonly Addon[] },
  name: Name,
): Extract<Addon, { name: Name }> | undefined =>
  addons.find((addon): addon is Extract<Addon, { name: Name }> => addon.name === name);
