import type { z } from "zod";
import { refuse } from "./field.ts";

/** A map of which exactly one field may be given; `beside` may stand beside it. */
export function oneKeyOf<T extends z.ZodType<Record<string, unknown>>>(
  schema: T,
  choices: string,
  beside: string[] = [],
): T {
  return schema.superRefine((written, context) => {
    const given = Object.entries(written).filter(
      ([key, value]) => value !== undefined && !beside.includes(key),
    );
    if (given.length === 1) return;
    const what =
      given.length === 0
        ? "Nothing is chosen here"
        : `${given.map(([key]) => key).join(" and ")} exclude each other`;
    const { fault } = refuse("SPEC_CHOOSE_ONE", what, `Write one of ${choices}`);
    context.addIssue({ code: "custom", input: written, params: { fault } });
  });
}
