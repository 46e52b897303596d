/**
 * What runs on top of a cluster: one folder per add-on, with its options, how it is made, what proves it and what stands for
 * it in a rehearsal.
 */
import type { AddonDefinition } from "./common/index.ts";
import type { StandIn } from "./common/stand-in/index.ts";
import * as list from "./list.ts";

export type { AddonDefinition } from "./common/index.ts";

/** Every add-on of this version. */
export const addons: readonly AddonDefinition[] = Object.values(list);

/** What stands for these add-ons in a simulation. */
export const standInsOf = (definitions: readonly AddonDefinition[]): Promise<StandIn[]> =>
  Promise.all(definitions.flatMap((each) => each.standIn?.() ?? []));
