import { z } from "zod";
import { firstInvisible } from "../../../lib/index.ts";
import type { Fault } from "../../source/problem.ts";

/** What editors and the reference page are told about a field. */
export interface FieldNotes {
  description: string;
  /** As written in the file. */
  examples?: unknown[];
  /** JSON Schema of what may be written, for editors. */
  type?: string | string[];
  pattern?: string;
  enum?: readonly (string | number)[];
  anyOf?: unknown[];
  minimum?: number;
  maximum?: number;
}

/** A reader's way to say no. */
export class Refusal {
  readonly fault: Fault;
  constructor(fault: Fault) {
    this.fault = fault;
  }
}

export const refuse = (code: string, what: string, next: string): Refusal =>
  new Refusal({ code, what, next });

const anything = z.unknown();

/**
 * A field whose text is read by a function: its value, or why it is none. Notes are registered rather than given with
 * `meta`, which would copy what was just made: there are hundreds of fields, and every command makes them all.
 */
export function field<T>(notes: FieldNotes, read: (written: unknown) => T | Refusal) {
  return anything
    .transform((written, context): T => {
      const value = read(written);
      if (!(value instanceof Refusal)) return value;
      context.issues.push({ code: "custom", input: written, params: { fault: value.fault } });
      return z.NEVER;
    })
    .register(z.globalRegistry, { ...notes });
}

/** The fault that a reader attached to a zod issue. */
export function faultOf(issue: z.core.$ZodIssue): Fault | undefined {
  return issue.code === "custom" ? (issue.params?.["fault"] as Fault | undefined) : undefined;
}

/** A value as a person would quote it. */
export function quote(written: unknown): string {
  if (written === null || written === undefined) return "nothing";
  if (Array.isArray(written)) return "a list";
  if (typeof written === "object") return "a map";
  const text = typeof written === "string" ? written : JSON.stringify(written);
  const short = text.length > 40 ? `${text.slice(0, 39)}…` : text;
  return typeof written === "string" ? `"${short}"` : short;
}

/**
 * Texts of one line end up in units, YAML, XML, settings of machines and on terminals: a character that begins a new line or
 * is not seen would say there what nobody reads here.
 */
export function refuseControl(written: unknown): Refusal | undefined {
  const found = typeof written === "string" ? firstInvisible(written) : undefined;
  if (found === undefined) return undefined;
  const what =
    found === "U+000A" ? "This text has more than one line" : `This text holds ${found}, which is not seen`;
  return refuse("SPEC_CONTROL_CHARACTER", what, "Write it on one line, without control characters");
}

/** A text that a pattern recognises. Of one line, unless it says otherwise. */
export function textField(
  notes: FieldNotes,
  rule: { pattern: RegExp; code: string; isNot: string; next: string; isMultiline?: boolean },
) {
  return field({ type: "string", ...notes }, (written): string | Refusal => {
    const refused = rule.isMultiline ? undefined : refuseControl(written);
    if (refused) return refused;
    if (typeof written === "string" && rule.pattern.test(written)) return written;
    return refuse(rule.code, `${quote(written)} is not ${rule.isNot}`, rule.next);
  });
}

/** A whole number between two bounds. */
export function wholeNumber(notes: FieldNotes, least: number, most: number) {
  const all = { type: "integer", minimum: least, maximum: most, ...notes };
  return field(all, (written): number | Refusal => {
    if (typeof written === "number" && Number.isInteger(written)) return within(written, least, most);
    const isQuoted = typeof written === "string" && /^\d+$/.test(written);
    const next = isQuoted
      ? `Write ${written} without quotes`
      : `Write a whole number from ${least} to ${most}`;
    return refuse("SPEC_WRONG_TYPE", `${quote(written)} is not a whole number`, next);
  });
}

/** A number between two bounds, with a fraction if need be. */
export function ratio(notes: FieldNotes, least: number, most: number) {
  const all = { type: "number", minimum: least, maximum: most, ...notes };
  return field(all, (written): number | Refusal => {
    if (typeof written === "number" && Number.isFinite(written)) return within(written, least, most);
    const next = `Write a number from ${least} to ${most}, like 1.5`;
    return refuse("SPEC_WRONG_TYPE", `${quote(written)} is not a number`, next);
  });
}

function within(written: number, least: number, most: number): number | Refusal {
  if (written >= least && written <= most) return written;
  const bound = written < least ? `the least is ${least}` : `the most is ${most}`;
  return refuse(
    "SPEC_OUT_OF_RANGE",
    `${written} is out of range: ${bound}`,
    `Write a number from ${least} to ${most}`,
  );
}

export function yesOrNo(notes: FieldNotes) {
  return field({ type: "boolean", ...notes }, (written): boolean | Refusal => {
    if (typeof written === "boolean") return written;
    const isYes = typeof written === "string" && /^(y|yes|on|true)$/i.test(written);
    const isNo = typeof written === "string" && /^(n|no|off|false)$/i.test(written);
    const next = isYes ? "Write true" : isNo ? "Write false" : "Write true or false";
    return refuse("SPEC_WRONG_TYPE", `${quote(written)} is neither true nor false`, next);
  });
}
