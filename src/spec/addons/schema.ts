import { z } from "zod";
import { lazy } from "../schema/fields/lazy.ts";
import { field, quote, type Refusal, refuse } from "../schema/fields/field.ts";
import { adviseName } from "../schema/fields/one-of.ts";
import { type AddonKind, kindNamed } from "./kind.ts";
import type { WrittenAddon, WrittenOptions } from "./written.ts";

/** What may be written of the add-ons of a cluster. */
export const addonsField = (kinds: readonly AddonKind[]) =>
  z
    .array(addonSchema(kinds))
    .prefault([])
    .register(z.globalRegistry, {
      description: `What is installed on top, each by name or as a map of the name and its options: ${namesOf(kinds).join(", ")}; \`chart\` and \`manifest\` for your own.`,
      examples: [["cilium", { "nfs-csi": { server: "192.168.1.5", share: "/volume1/k8s" } }]],
    });

/** Of those that are not the user's own. */
const namesOf = (kinds: readonly AddonKind[]): string[] =>
  kinds
    .filter(({ ownName }) => !ownName)
    .map(({ name }) => name)
    .toSorted();

const addonSchema = (kinds: readonly AddonKind[]) =>
  z.union([asName(kinds), asMap(kinds)]).register(z.globalRegistry, {
    description: "The add-on's name, or a map of the name and its options.",
    examples: ["cilium", { "nfs-csi": { server: "192.168.1.5", share: "/volume1/k8s" } }],
  });

const asMap = (kinds: readonly AddonKind[]) =>
  lazy(() =>
    z
      .strictObject(Object.fromEntries(kinds.map(({ name, schema }) => [name, orNothing(schema)])))
      .superRefine((written, context) => {
        if (Object.keys(written).length === 1) return;
        context.addIssue({ code: "custom", input: written, params: { fault: manyInOne(written).fault } });
      })
      .transform((written): WrittenAddon => {
        const [name, options] = Object.entries(written)[0] ?? [];
        return { name, options } as WrittenAddon;
      })
      .register(z.globalRegistry, { minProperties: 1, maxProperties: 1 }),
  );

/** Nothing written is as good as an empty map; what that lacks is told at its place. */
const orNothing = (options: AddonKind["schema"]) =>
  z
    .union([options, z.null()])
    .transform((written, context): WrittenOptions => {
      if (written !== null) return written;
      const parsed = options.safeParse({});
      if (parsed.success) return parsed.data;
      for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: undefined });
      return z.NEVER;
    })
    .optional();

const manyInOne = (written: unknown) =>
  refuse(
    "SPEC_WRONG_TYPE",
    `This is ${quote(written)}, not one add-on`,
    "Write one name for each item, or one name with its options",
  );

const asName = (kinds: readonly AddonKind[]) =>
  field(
    { type: "string", enum: namesOf(kinds), description: "The name of an add-on.", examples: ["cilium"] },
    (written): WrittenAddon | Refusal => {
      if (typeof written !== "string") return manyInOne(written);
      const kind = kindNamed(kinds, written);
      if (!kind) {
        const known = kinds.map(({ name }) => name).toSorted();
        return refuse("SPEC_UNKNOWN_ADDON", `Add-on "${written}" is not known`, adviseName(written, known));
      }
      const parsed = kind.schema.safeParse({});
      return parsed.success ? { name: kind.name, options: parsed.data } : needs(kind);
    },
  );

/** An add-on that cannot do with its name alone. */
function needs({ name, schema }: AddonKind): Refusal {
  const lacking = (schema.safeParse({}).error?.issues ?? [])
    .map((issue) => issue.path.join("."))
    .filter((path) => path !== "");
  return refuse(
    "SPEC_MISSING_FIELD",
    `Add-on "${name}" lacks ${lacking.map((each) => `"${each}"`).join(" and ")}`,
    `Write ${name}: with ${lacking.join(" and ")} below it`,
  );
}
