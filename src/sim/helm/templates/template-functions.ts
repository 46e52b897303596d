import { stringify } from "yaml";
import { TemplateError } from "./template-tree.ts";

export type TemplateFunction = (...args: unknown[]) => unknown;

/** What Go's templates take for true: everything but nothing, zero and empty. */
export function isTrue(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0;
  if (typeof value === "object" && value !== null) return Object.keys(value).length > 0;
  return Boolean(value);
}

/** As it is printed into the text. Lists and maps have no form anyone would want there. */
export function printed(value: unknown): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  throw new TemplateError("only text, numbers and yes or no can be printed; use toYaml for the rest");
}

const toYaml = (value: unknown): string =>
  // The dialect helm reads: there `on` must stand in quotes.
  stringify(value ?? null, { version: "1.1", lineWidth: 0, sortMapEntries: true, indentSeq: false }).replace(
    /\n$/,
    "",
  );

const indent = (columns: unknown, text: unknown): string =>
  printed(text).replaceAll(/^/gm, " ".repeat(Number(columns)));

/** The functions stand-in charts may use. */
export const templateFunctions: Record<string, TemplateFunction> = {
  default: (fallback, value) => (isTrue(value) ? value : fallback),
  quote: (...values) =>
    values
      .filter((value) => value !== null && value !== undefined)
      .map((value) => JSON.stringify(printed(value)))
      .join(" "),
  toYaml,
  indent,
  nindent: (columns, text) => `\n${indent(columns, text)}`,
  contains: (part, whole) => printed(whole).includes(printed(part)),
  join: (separator, list) => ((list ?? []) as unknown[]).map(printed).join(printed(separator)),
  b64enc: (text) => Buffer.from(printed(text)).toString("base64"),
  eq: (first, ...others) => others.some((each) => each === first),
  ne: (first, second) => first !== second,
  not: (value) => !isTrue(value),
  and: (...values) => (values.every(isTrue) ? values.at(-1) : values.find((value) => !isTrue(value))),
  or: (...values) => values.find(isTrue) ?? values.at(-1),
  fail: (message) => {
    throw new TemplateError(printed(message));
  },
};
