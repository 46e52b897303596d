import { addons } from "../../src/addons/index.ts";
import { onInYaml11 } from "../../src/controller/index.ts";
import { fleetJsonSchema, type JsonSchema } from "../../src/spec/index.ts";

/** A schema as the API server takes it in a custom resource: structural, OpenAPI v3. */
export interface StructuralSchema {
  type?: string;
  description?: string;
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  minProperties?: number;
  format?: string;
  default?: unknown;
  properties?: Record<string, StructuralSchema>;
  additionalProperties?: StructuralSchema;
  required?: string[];
  items?: StructuralSchema;
  "x-kubernetes-int-or-string"?: true;
  "x-kubernetes-preserve-unknown-fields"?: true;
  "x-kubernetes-list-type"?: "map" | "atomic";
  "x-kubernetes-list-map-keys"?: string[];
  "x-kubernetes-validations"?: { rule: string; message: string }[];
}

/** A part of the cluster file, `host` or `cluster`, as an object may say it. */
export function partOfFile(name: "host" | "cluster"): StructuralSchema {
  const { definitions = {} } = fleetJsonSchema(addons);
  return structural({ $ref: `#/definitions/${name}` }, { ...definitions, secret: inSecret });
}

/** Where a file names a secret in many ways, an object has one: a key of a Secret. */
const inSecret: JsonSchema = {
  type: "object",
  description: "A key of a Secret in the controller's namespace.",
  properties: {
    secret: {
      type: "object",
      properties: { name: { type: "string" }, key: { type: "string" } },
      required: ["name", "key"],
    },
  },
  required: ["secret"],
};

/** Fields that name a file of the computer `slipway` runs on; objects take them from Secrets. */
const filesInSecrets = new Set(["ca", "keyFile", "knownHosts"]);
/** Fields that would read or run something where the controller runs; objects have none of them. */
const onThisComputer = new Set(["file", "folder", "valuesFiles", "command"]);

/**
 * Structural means: one type for every value, no references, no keyword that only some values have. A value that may have several
 * forms is let through: the controller holds it to the same checks as a file, and tells the path.
 */
function structural(schema: JsonSchema, definitions: Record<string, JsonSchema>): StructuralSchema {
  const { description } = schema;
  const told = description === undefined ? {} : { description: plain(description) };
  const ref = schema.$ref ?? schema.allOf?.[0]?.$ref;
  if (ref !== undefined) {
    const found = definitions[ref.split("/").at(-1) ?? ""];
    if (!found) throw new Error(`the schema has no ${ref}`);
    return { ...structural(found, definitions), ...told };
  }
  if (schema.anyOf) return { ...told, "x-kubernetes-preserve-unknown-fields": true };
  if (Array.isArray(schema.type) || schema.type === undefined) return { ...told, ...severalTypes(schema) };
  if (schema.type === "object") return { ...told, type: "object", ...fieldsOf(schema, definitions) };
  if (schema.type === "array")
    return { ...told, type: "array", items: structural(schema.items ?? {}, definitions) };
  return { ...told, type: schema.type, ...limitsOf(schema) };
}

const severalTypes = ({ type }: JsonSchema): StructuralSchema =>
  ["string,number", "number,string"].includes([type].flat().join())
    ? { "x-kubernetes-int-or-string": true }
    : { "x-kubernetes-preserve-unknown-fields": true };

function fieldsOf(schema: JsonSchema, definitions: Record<string, JsonSchema>): Partial<StructuralSchema> {
  const { properties, additionalProperties, required } = schema;
  if (!properties) {
    return typeof additionalProperties === "object" && Object.keys(additionalProperties).length > 0
      ? { additionalProperties: structural(additionalProperties, definitions) }
      : { "x-kubernetes-preserve-unknown-fields": true };
  }
  const kept = Object.entries(properties).filter(([name]) => !onThisComputer.has(name));
  const fields = kept.map(([name, each]): [string, StructuralSchema] => [
    name,
    structural(filesInSecrets.has(name) && each.type === "string" ? inSecret : each, definitions),
  ]);
  const on = fields.flatMap(([name, each]): [string, StructuralSchema][] =>
    name === "on" ? [[onInYaml11, each]] : [],
  );
  return { properties: Object.fromEntries([...fields, ...on]), ...(required && { required }) };
}

/** What the API server checks with other rules than ours is left to the controller: Go knows no lookaround. */
function limitsOf({ enum: values, pattern, minimum, maximum }: JsonSchema): Partial<StructuralSchema> {
  return {
    ...(values && { enum: values }),
    ...(pattern !== undefined && !/\(\?[=!<]/.test(pattern) && { pattern }),
    ...(minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER && { minimum }),
    ...(maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER && { maximum }),
  };
}

const plain = (text: string): string => text.replaceAll("`", "");
