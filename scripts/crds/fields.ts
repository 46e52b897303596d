import type { StructuralSchema } from "./structural-schema.ts";

/** Fields of our objects, written once. */
export const text = (description: string, more: Partial<StructuralSchema> = {}): StructuralSchema => ({
  type: "string",
  description,
  ...more,
});
export const count = (description: string, minimum = 0): StructuralSchema => ({
  type: "integer",
  description,
  minimum,
});
export const yesOrNo = (description: string): StructuralSchema => ({ type: "boolean", description });
export const list = (description: string, items: StructuralSchema): StructuralSchema => ({
  type: "array",
  description,
  items,
});
export const time = (description: string): StructuralSchema => text(description, { format: "date-time" });
export const texts = (description: string): StructuralSchema => ({
  type: "object",
  description,
  additionalProperties: { type: "string" },
});

export const object = (
  description: string,
  properties: Record<string, StructuralSchema>,
  required: string[] = [],
  rules: { rule: string; message: string }[] = [],
): StructuralSchema => ({
  type: "object",
  description,
  properties,
  ...(required.length > 0 && { required }),
  ...(rules.length > 0 && { "x-kubernetes-validations": rules }),
});

/** A list that is kept by type, so that two writers do not overwrite each other. */
export const conditions: StructuralSchema = {
  ...list(
    "What is known of it.",
    object(
      "One thing that is so, not so, or not known.",
      {
        type: text("Which."),
        status: text("True, False or Unknown.", { enum: ["True", "False", "Unknown"] }),
        reason: text("One word for programs.", { pattern: "^[A-Za-z][A-Za-z0-9]*$", maxLength: 128 }),
        message: text("A sentence for people.", { maxLength: 32768 }),
        lastTransitionTime: time("When its status last changed."),
        observedGeneration: count("The generation it is about."),
      },
      ["type", "status", "reason", "message", "lastTransitionTime"],
    ),
  ),
  "x-kubernetes-list-type": "map",
  "x-kubernetes-list-map-keys": ["type"],
};
