import { isMap, isNode, isScalar, LineCounter, parseDocument, type Document } from "yaml";
import { z } from "zod";
import type { YamlValue } from "../../lib/index.ts";
import { schematicUnreadable } from "../errors.ts";
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
  const lineCounter = new LineCounter();
  const document = parseDocument(text, { logLevel: "silent", lineCounter });
  const [broken] = document.errors;
  if (broken)
    throw schematicUnreadable({ file, problem: `line ${broken.linePos?.[0].line ?? 1} is not YAML` });
  const result = schema.safeParse(document.toJS() ?? {});
  if (!result.success) {
    const [issue] = result.error.issues;
    const line = issue ? lineCounter.linePos(offsetOf(document, issue)).line : 1;
    throw schematicUnreadable({
      file,
      problem: `line ${line}, at "${issue?.path.join(".") ?? ""}": ${issue?.message ?? "unclear"}`,
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

/** Where the problem stands: the unknown key itself, else the value, else what is nearest above it. */
function offsetOf(document: Document.Parsed, issue: z.core.$ZodIssue): number {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  for (let length = path.length; length >= 0; length -= 1) {
    const node = length === 0 ? document.contents : document.getIn(path.slice(0, length), true);
    if (!isNode(node)) continue;
    const unknown = issue.code === "unrecognized_keys" ? issue.keys : [];
    const pair =
      isMap(node) && node.items.find(({ key }) => isScalar(key) && unknown.includes(String(key.value)));
    const place = pair && isScalar(pair.key) ? pair.key : node;
    return place.range?.[0] ?? 0;
  }
  return 0;
}

const withoutNulls = (fields: object): Schematic =>
  Object.fromEntries(Object.entries(fields).filter(([, field]) => field !== undefined && field !== null));
