import { z } from "zod";
import type { AddonKind } from "../addons/index.ts";
import { fileSchema } from "./file.ts";

/** The parts of JSON Schema (draft 7) that the cluster file needs. */
export interface JsonSchema {
  $schema?: string;
  $ref?: string;
  title?: string;
  type?: string | string[];
  description?: string;
  default?: unknown;
  examples?: unknown[];
  enum?: unknown[];
  pattern?: string;
  minimum?: number;
  maximum?: number;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  required?: string[];
  items?: JsonSchema;
  anyOf?: JsonSchema[];
  allOf?: JsonSchema[];
  definitions?: Record<string, JsonSchema>;
}

/** The schema of the cluster file for editors, draft 7 because that is what their YAML servers read. */
export function fleetJsonSchema(addons: readonly AddonKind[]): JsonSchema {
  return z.toJSONSchema(fileSchema(addons), {
    target: "draft-7",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      // zod drops the examples of fields that are read by a function, since it cannot tell which side they show.
      const examples = z.globalRegistry.get(zodSchema)?.examples;
      if (Array.isArray(examples)) jsonSchema.examples = examples;
      // A part that is made later is the part itself to whoever reads.
      const [only] = jsonSchema.allOf ?? [];
      if (!(zodSchema instanceof z.ZodLazy) || only?.$ref === undefined) return;
      delete jsonSchema.allOf;
      jsonSchema.$ref = only.$ref;
    },
  }) as JsonSchema;
}
