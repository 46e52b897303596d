import type { Addon, AddonFacts } from "./model.ts";

/** The first add-on of a cluster of which a fact is true. */
export const addonWith = (
  { addons }: { addons: readonly Addon[] },
  fact: keyof AddonFacts,
): Addon | undefined => addons.find(({ facts }) => facts[fact] !== undefined);
