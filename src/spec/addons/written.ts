import type { WrittenChart, WrittenValues } from "./common-fields.ts";
import type { AddonOwner } from "./model.ts";

/** An add-on as it was written, the schema's own defaults filled in. */
export interface WrittenAddon {
  name: string;
  options: WrittenOptions;
}

/** What may be written of every add-on; those that are no chart have less. */
export interface WrittenOptions extends Partial<WrittenValues> {
  owner: AddonOwner;
  version?: string | undefined;
  chart?: WrittenChart | undefined;
}
