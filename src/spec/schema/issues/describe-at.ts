import type { AddonKind } from "../../addons/index.ts";
import { fleetJsonSchema, type JsonSchema } from "../json-schema.ts";
import type { Path } from "../../source/positions.ts";

export interface Described {
  /** Names of the fields a map may have at this place. */
  fields: string[];
  example?: unknown;
  /** The map around it cannot do without it. */
  isNeeded: boolean;
}

const made = new WeakMap<readonly AddonKind[], JsonSchema>();

/** What the schema says of a place in a file that may name these add-ons. */
export function describeAt(path: Path, addons: readonly AddonKind[]): Described {
  const root = made.get(addons) ?? fleetJsonSchema(addons);
  made.set(addons, root);
  const resolve = (one: JsonSchema): JsonSchema[] => {
    const name = one.$ref?.split("/").at(-1);
    const target = name === undefined ? undefined : root.definitions?.[name];
    const parts = [...(one.anyOf ?? []), ...(one.allOf ?? []), ...(target ? [target] : [])];
    return [one, ...parts.flatMap(resolve)];
  };
  let here = resolve(root);
  let isNeeded = false;
  for (const part of path) {
    isNeeded = here.some((one) => one.required?.includes(String(part)));
    here = here.flatMap((one) => {
      const own = one.properties?.[part] ?? (typeof part === "number" ? one.items : undefined);
      const below =
        own ?? (typeof one.additionalProperties === "object" ? one.additionalProperties : undefined);
      return below ? resolve(below) : [];
    });
  }
  const example = here.find((one) => one.examples !== undefined)?.examples?.[0];
  return {
    fields: [...new Set(here.flatMap((one) => Object.keys(one.properties ?? {})))],
    isNeeded,
    example,
  };
}
