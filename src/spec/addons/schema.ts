import { z } from "zod";
import { field, quote, type Refusal, refuse } from "../field.ts";
import { knownAddons, type KnownAddonName } from "../known-addons.ts";
import { adviseName } from "../one-of.ts";
import { ciliumSchema } from "./cilium-schema.ts";
import { chartFieldsOfAddon } from "./common-fields.ts";
import { argocdSchema, fluxSchema } from "./gitops-schemas.ts";
import type { AddonName } from "./model.ts";
import { ownChartSchema, ownManifestSchema } from "./own-schemas.ts";
import { rancherSchema } from "./rancher-schema.ts";
import { simpleSchemas } from "./simple-schemas.ts";
import { longhornSchema, nfsCsiSchema, proxmoxCsiSchema } from "./storage-schemas.ts";

const schemas = {
  ...simpleSchemas,
  argocd: argocdSchema,
  cilium: ciliumSchema,
  flux: fluxSchema,
  longhorn: longhornSchema,
  "nfs-csi": nfsCsiSchema,
  "proxmox-csi": proxmoxCsiSchema,
  rancher: rancherSchema,
  chart: ownChartSchema,
  manifest: ownManifestSchema,
} satisfies Record<AddonName, z.ZodType>;

type Schemas = typeof schemas;

/** An add-on as it was written, the schema's own defaults filled in. */
export type WrittenAddon = {
  [Name in keyof Schemas]: { name: Name; options: z.output<Schemas[Name]> };
}[keyof Schemas];

/** Options of no add-on but of all. */
export const commonOptionNames: ReadonlySet<string> = new Set(Object.keys(chartFieldsOfAddon));

/** Nothing written is as good as an empty map; what that lacks is told at its place. */
const orNothing = <T extends z.ZodType>(options: T) =>
  z
    .union([options, z.null()])
    .transform((written, context): z.output<T> => {
      if (written !== null) return written;
      const parsed = options.safeParse({});
      if (parsed.success) return parsed.data;
      for (const issue of parsed.error.issues) context.issues.push({ ...issue, input: undefined });
      return z.NEVER;
    })
    .optional();

const mapFields = Object.fromEntries(
  Object.entries(schemas).map(([name, options]) => [name, orNothing(options)]),
);

const manyInOne = (written: unknown) =>
  refuse(
    "SPEC_WRONG_TYPE",
    `This is ${quote(written)}, not one add-on`,
    "Write one name for each item, or one name with its options",
  );

const asMap = z
  .strictObject(mapFields)
  .superRefine((written, context) => {
    if (Object.keys(written).length === 1) return;
    context.addIssue({ code: "custom", input: written, params: { fault: manyInOne(written).fault } });
  })
  .transform((written) => {
    const [name, options] = Object.entries(written)[0] ?? [];
    return { name, options } as WrittenAddon;
  })
  .meta({ minProperties: 1, maxProperties: 1 });

const asName = field(
  { type: "string", enum: knownAddons, description: "The name of an add-on.", examples: ["cilium"] },
  (written): WrittenAddon | Refusal => {
    if (typeof written !== "string") return manyInOne(written);
    if (!isKnown(written)) {
      const isOwn = Object.hasOwn(schemas, written);
      return isOwn
        ? needs(written as AddonName)
        : refuse("SPEC_UNKNOWN_ADDON", `Add-on "${written}" is not known`, adviseAddon(written));
    }
    const parsed = schemas[written].safeParse({});
    return parsed.success ? ({ name: written, options: parsed.data } as WrittenAddon) : needs(written);
  },
);

const isKnown = (name: string): name is KnownAddonName => (knownAddons as readonly string[]).includes(name);

export const adviseAddon = (name: string): string => adviseName(name, Object.keys(schemas).toSorted());

/** An add-on that cannot do with its name alone. */
function needs(name: AddonName): Refusal {
  const parsed = schemas[name].safeParse({});
  const lacking = (parsed.error?.issues ?? [])
    .map((issue) => issue.path.join("."))
    .filter((path) => path !== "");
  return refuse(
    "SPEC_MISSING_FIELD",
    `Add-on "${name}" lacks ${lacking.map((each) => `"${each}"`).join(" and ")}`,
    `Write ${name}: with ${lacking.join(" and ")} below it`,
  );
}

export const addonSchema = z.union([asName, asMap]).meta({
  description: "The add-on's name, or a map of the name and its options.",
  examples: ["cilium", { "nfs-csi": { server: "192.168.1.5", share: "/volume1/k8s" } }],
});
