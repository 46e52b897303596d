import { parseDocument } from "yaml";
import { z } from "zod";
import type { YamlValue } from "../lib/index.ts";
import { schematicUnreadable } from "./errors.ts";
import type { Schematic } from "./schematic.ts";

const names = z.array(z.string());
const value: z.ZodType<YamlValue> = z.json();

/** The file as people give it to the factory. Keys it does not know are refused, as the factory does. */
const schema = z.strictObject({
  owner: z.string().optional(),
  overlay: z
    .strictObject({
      image: z.string().optional(),
      name: z.string().optional(),
      options: z.record(z.string(), value).optional(),
    })
    .nullish(),
  customization: z
    .strictObject({
      embeddedMachineConfiguration: z.string().optional(),
      extraKernelArgs: names.nullish(),
      meta: z.array(z.strictObject({ key: z.int().min(0).max(255), value: z.string() })).nullish(),
      systemExtensions: z.strictObject({ officialExtensions: names.nullish() }).nullish(),
      bootloader: z.enum(["auto", "dual-boot", "grub", "sd-boot"]).optional(),
      secureboot: z
        .strictObject({
          enrollKeys: z.enum(["off", "manual", "if-safe", "force"]).optional(),
          includeWellKnownCertificates: z.boolean().optional(),
        })
        .nullish(),
      diskImage: z.strictObject({ sectorSize: z.int().min(0).optional() }).nullish(),
    })
    .nullish(),
});

/** A schematic from its file. Lists keep their order: the factory hashes them as they are. */
export function readSchematic(text: string, file: string): Schematic {
  const document = parseDocument(text, { logLevel: "silent" });
  const [broken] = document.errors;
  if (broken)
    throw schematicUnreadable({ file, problem: `line ${broken.linePos?.[0].line ?? 1} is not YAML` });
  const result = schema.safeParse(document.toJS() ?? {});
  if (!result.success) {
    const [issue] = result.error.issues;
    throw schematicUnreadable({
      file,
      problem: `at "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "unclear"}`,
    });
  }
  const { owner, overlay, customization } = result.data;
  const { systemExtensions, ...others } = customization ?? {};
  return withoutNulls({
    owner,
    overlay,
    ...others,
    officialExtensions: systemExtensions?.officialExtensions,
  });
}

const withoutNulls = (fields: object): Schematic =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined && field !== null));
