import { cpuModels, flagsOfMachines } from "./cpu-models.ts";
import type { Endpoint, Param, ParamTable, PropertyTable } from "../../../clients/proxmox/endpoints/index.ts";
import { badParameter } from "../api-error.ts";
import { formatProblem } from "./formats.ts";
import { parseProperties, type Properties } from "./property-string.ts";

/** A value as it arrives: text from a form, anything from JSON, a list when a name stands twice. */
export type RawParams = Record<string, unknown>;
export type CheckedParams = Record<string, string | number | boolean>;

type Problems = Record<string, string>;

const notInSchema = "property is not defined in schema and the schema does not allow additional properties";
const missing = "property is missing and it is not optional";

/** Holds the parameters of a call against its table; all problems are told at once. */
export function verifyParams(endpoint: Endpoint, raw: RawParams, version: 8 | 9): CheckedParams {
  const given = Object.fromEntries(
    Object.entries(raw)
      .filter(([, value]) => value !== undefined)
      // JSON's null is an empty text, and nothing where there can be no text.
      .map(([name, value]) => [name, value === null ? "" : value] as const)
      .filter(
        ([name, value]) =>
          value !== "" || paramFor(endpoint.params, name, version)?.type === "string" || raw[name] !== null,
      ),
  );
  const problems = checkAll(
    paramsOfType(endpoint.params, given["type"]),
    given,
    "",
    version,
    endpoint.takesMore,
  );
  if (Object.keys(problems).length > 0) throw badParameter(problems);
  return Object.fromEntries(
    Object.entries(given).map(([name, value]) => [
      name,
      convert(paramFor(endpoint.params, name, version)?.type, value),
    ]),
  );
}

/** Some calls take other parameters for every kind of thing they make. */
const paramsOfType = (table: ParamTable, type: unknown): ParamTable =>
  Object.fromEntries(
    Object.entries(table).filter(([, param]) => param.forType?.includes(String(type)) ?? true),
  );

/** The declaration behind a name; `scsi3` is one of `scsi[n]`. */
export function paramFor(table: ParamTable, name: string, version: 8 | 9): Param | undefined {
  const exact = table[name];
  if (exact && exact.count === undefined) return inVersion(exact, version);
  const [, base, digits] = /^(.*?\D)(0|[1-9]\d*)$/.exec(name) ?? [];
  const numbered = base === undefined ? undefined : table[`${base}[n]`];
  if (!numbered || Number(digits) >= (numbered.count ?? 0)) return undefined;
  return inVersion(numbered, version);
}

const inVersion = (param: Param, version: 8 | 9): Param | undefined => {
  if ((param.since ?? 8) > version || (param.until ?? 9) < version) return undefined;
  return version === 8 ? { ...param, ...param.in8 } : param;
};

function checkAll(
  table: ParamTable,
  given: RawParams,
  prefix: string,
  version: 8 | 9,
  takesMore = false,
): Problems {
  const problems: Problems = {};
  // Several problems of one name stand behind each other, with a mark between them that was meant to be a line's end.
  const add = (name: string, text: string) => {
    const before = problems[prefix + name];
    problems[prefix + name] = before === undefined ? text : `${before}\\n${text}`;
  };
  for (const [name, declared] of Object.entries(table)) {
    const param = inVersion(declared, version);
    if (param?.required && given[name] === undefined) add(name, missing);
  }
  for (const [name, value] of Object.entries(given)) {
    const param = paramFor(table, name, version);
    const problem = param && checkOne(param, value, prefix + name, version);
    if (problem !== undefined) add(name, problem);
    if (!param && !takesMore) add(name, notInSchema);
  }
  for (const name of Object.keys(given)) {
    const needed = paramFor(table, name, version)?.requires;
    if (needed === undefined || given[needed] !== undefined) continue;
    const newer = `missing property required by '${prefix}${name}'`;
    const older = `missing property - '${prefix}${name}' requires this property`;
    add(needed, version === 9 ? newer : older);
  }
  return problems;
}

function checkOne(param: Param, raw: unknown, path: string, version: 8 | 9): string | undefined {
  const value = asText(param, raw);
  if (value === undefined) {
    return `type check ('${param.type}') failed - got ${Array.isArray(raw) ? "ARRAY" : "HASH"}`;
  }
  if (!hasType(param, value)) return `type check ('${param.type}') failed - got '${value}'`;
  const format = checkFormat(param, value, path, version);
  if (format !== undefined) return `invalid format - ${format}\n`;
  if (param.pattern !== undefined && !new RegExp(`^(?:${param.pattern})$`).test(value)) {
    return "value does not match the regex pattern";
  }
  if (value.length > (param.maxLength ?? Infinity))
    return `value may only be ${param.maxLength} characters long`;
  if (value.length < (param.minLength ?? 0))
    return `value must be at least ${param.minLength} characters long`;
  if (isNumber(value)) {
    if (Number(value) > (param.max ?? Infinity)) return `value must have a maximum value of ${param.max}`;
    if (Number(value) < (param.min ?? -Infinity)) return `value must have a minimum value of ${param.min}`;
  }
  if (param.enum && !param.enum.includes(value)) {
    return `value '${value}' does not have a value in the enumeration '${param.enum.join(", ")}'`;
  }
  return undefined;
}

function checkFormat(param: Param, value: string, path: string, version: 8 | 9): string | undefined {
  if (param.properties) return checkProperties(param.properties, param.format, value, path, version);
  return param.format === undefined ? undefined : formatProblem(param.format, value, version);
}

function checkProperties(
  table: PropertyTable,
  format: string | undefined,
  value: string,
  path: string,
  version: 8 | 9,
): string | undefined {
  let parts: Record<string, string>;
  try {
    parts = parseProperties(table, value, version);
  } catch (error) {
    return (error as Error).message;
  }
  const problems = checkAll(withoutAliases(table, version), parts, `${path}.`, version);
  const lines = Object.keys(problems)
    .toSorted()
    .map((key) => `\n${key}: ${problems[key]}`);
  if (lines.length > 0) return `format error${lines.join("")}`;
  return format === undefined ? undefined : ruleProblem(format, parts, version);
}

const withoutAliases = (table: PropertyTable, version: 8 | 9): ParamTable =>
  Object.fromEntries(
    Object.entries(table).flatMap(([key, entry]) => {
      if (!("alias" in entry)) return [[key, entry]];
      return version === 8 && entry.in8 ? [[key, entry.in8]] : [];
    }),
  );

/** Whether a value fits the rules of a parameter. */
export const isAllowed = (param: Param, name: string, value: string, version: 8 | 9): boolean =>
  checkOne(param, value, name, version) === undefined;

/** Only lists may be written as JSON arrays or by naming a parameter twice. */
function asText(param: Param, raw: unknown): string | undefined {
  if (typeof raw === "string") return raw;
  if (typeof raw === "number") return String(raw);
  if (typeof raw === "boolean") return raw ? "1" : "0";
  if (Array.isArray(raw) && (param.isList || param.format?.endsWith("-list"))) return raw.join(",");
  return undefined;
}

const isNumber = (value: string): boolean => /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value);

function hasType(param: Param, value: string): boolean {
  if (param.type === "integer") return /^[+-]?\d+$/.test(value);
  if (param.type === "number") return isNumber(value);
  return param.type !== "boolean" || value === "0" || value === "1";
}

function convert(type: Param["type"] | undefined, raw: unknown): string | number | boolean {
  const text = Array.isArray(raw)
    ? raw.join(",")
    : typeof raw === "boolean"
      ? raw
        ? "1"
        : "0"
      : String(raw);
  if (type === "boolean") return text === "1";
  return type === "integer" || type === "number" ? Number(text) : text;
}

/** What a named property string must hold besides the rules of its keys; the answer is the server's words. */
type Rule = (parts: Properties, version: 8 | 9) => string | undefined;

const rules: Record<string, Rule> = {
  "pve-vm-cpu-conf": (cpu, version) => {
    const { cputype = "", flags } = cpu;
    if (cputype === "") return "CPU is missing cputype";
    if (cputype.startsWith("custom-")) return `Custom cputype '${cputype.slice("custom-".length)}' not found`;
    if (!cpuModels(version).some(({ name }) => name === cputype)) {
      return `Built-in cputype '${cputype}' is not defined (missing 'custom-' prefix?)`;
    }
    const known = flagsOfMachines(version);
    if (flags !== undefined && !flags.split(";").every((flag) => known.includes(flag.slice(1)))) {
      return `VM-specific CPU flags must be a subset of: ${known.join(", ")}`;
    }
    return cpu["reported-model"] === undefined
      ? undefined
      : "Property 'reported-model' not allowed in VM-specific CPU config.";
  },

  "prune-backups": ({ "keep-all": all, ...counts }) =>
    all === "1" && Object.values(counts).some((count) => Number(count) > 0)
      ? "keep-all cannot be set together with other options."
      : undefined,
};

/** Why the parts of a property string do not go together. */
const ruleProblem = (format: string, parts: Properties, version: 8 | 9): string | undefined =>
  rules[format]?.(parts, version);
