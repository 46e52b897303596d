import type { z } from "zod";
import type { AddonKind } from "../../addons/index.ts";
import { describeAt } from "./describe-at.ts";
import { formatExample } from "../../source/format-example.ts";
import { faultOf, quote } from "../fields/field.ts";
import { plainSecret } from "../host.ts";
import type { LocatedDocument } from "../../source/located-document.ts";
import { poolFieldNames } from "../pool.ts";
import type { Fault, Problem } from "../../source/problem.ts";
import { suggest } from "../../source/suggest.ts";
import type { Path } from "../../source/positions.ts";
import { explainUnknownField } from "./unknown-field.ts";
import { isRecord, valueAt } from "../../source/value-at.ts";

/** An issue of zod with its whole path; choices between shapes are already settled. */
export interface FlatIssue {
  issue: z.core.$ZodIssue;
  path: Path;
}

/** Where several shapes are possible, keeps the complaints about the one that was probably meant. */
export function flattenIssues(
  issues: readonly z.core.$ZodIssue[],
  value: unknown,
  above: Path = [],
): FlatIssue[] {
  return issues.flatMap((issue): FlatIssue[] => {
    const path = [...above, ...issue.path.map((part) => (typeof part === "number" ? part : String(part)))];
    if (issue.code !== "invalid_union") return [{ issue, path }];
    const meant = likeliestShape(issue.errors, valueAt(value, path));
    return flattenIssues(meant, value, path);
  });
}

function likeliestShape(
  shapes: readonly (readonly z.core.$ZodIssue[])[],
  written: unknown,
): readonly z.core.$ZodIssue[] {
  const typed = shapes.filter(
    (issues) => !issues.some((issue) => issue.code === "invalid_type" && issue.path.length === 0),
  );
  // Whoever writes a map does not mean a single word.
  const maps = typed.filter(
    (issues) => !issues.every((issue) => issue.code === "custom" && issue.path.length === 0),
  );
  const fitting = isRecord(written) && maps.length > 0 ? maps : typed;
  const [pool, pools] = fitting;
  // Only workers have two shapes that are both maps: one pool, or pools by name.
  if (pool && pools && isRecord(written)) return isMapOfPools(written) ? pools : pool;
  return (
    fitting.find((issues) => issues.every((issue) => issue.path.length > 0)) ?? fitting[0] ?? shapes[0] ?? []
  );
}

function isMapOfPools(written: Record<string, unknown>): boolean {
  return Object.entries(written).every(
    ([name, value]) =>
      isRecord(value) && !poolFieldNames.has(name) && suggest(name, poolFieldNames) === undefined,
  );
}

/** A complaint of the schema in words for the person who wrote the file, with its place. */
export function explainIssue(
  flat: FlatIssue,
  document: LocatedDocument,
  addons: readonly AddonKind[],
): Problem {
  const { issue, path } = flat;
  const written = valueAt(document.value, path);
  const secret = plainSecret(path, written);
  if (secret) return { ...secret.fault, position: document.locate(path) };
  if (issue.code === "unrecognized_keys") {
    const key = issue.keys[0] ?? "";
    return { ...explainUnknownField(path, key, addons), position: document.locateKey([...path, key]) };
  }
  const isKey = issue.code === "invalid_key";
  const position = isKey || written === null ? document.locateKey(path) : document.locate(path);
  return { ...explainValue(flat, written, document, addons), position };
}

function explainValue(
  { issue, path }: FlatIssue,
  written: unknown,
  document: LocatedDocument,
  addons: readonly AddonKind[],
): Fault {
  const name = nameOf(path);
  if (written === undefined) return missingField(path, addons);
  if (written === null) {
    const orElse = describeAt(path, addons).isNeeded ? "" : ", or remove the line";
    return {
      code: "SPEC_NO_VALUE",
      what: `${name} has no value`,
      next: `${adviseExample(path, "Write", addons)}${orElse}`,
    };
  }
  const fault = faultOf(issue);
  // Versions written without quotes are numbers to YAML; what was typed says more than what it became.
  if (fault?.code === "SPEC_BAD_VERSION" && typeof written === "number") {
    return { ...fault, what: `${document.textAt(path) ?? written} is not a full version` };
  }
  if (fault) return fault;
  const next = adviseExample(path, "Write", addons);
  switch (issue.code) {
    case "invalid_key":
      return badKey(path, name);
    case "too_small":
      return { code: "SPEC_NO_VALUE", what: `${name} is an empty list`, next };
    default: {
      const needed = issue.code === "invalid_type" && issue.expected === "array" ? "a list" : "a map";
      return { code: "SPEC_WRONG_TYPE", what: `${name} is ${quote(written)}, ${needed} is needed`, next };
    }
  }
}

/** By the map whose key it is. */
const keyRules: Record<string, [be: string, next: string]> = {
  sysctls: ["be a sysctl", "Write it as sysctl lists it, like vm.max_map_count"],
  registries: ["be a registry", "Write its host, like docker.io or registry.example.org:5000"],
  args: ["be an argument", "Write it without dashes in front, like max-pods"],
  hosts: ["be a host name", "Write letters, digits, hyphens and dots, like nas.lan"],
  secretValues: ["be the path of a value", "Write its parts with dots between them, like admin.password"],
  inlineManifests: ["name a manifest", "Write small letters, digits, hyphens and dots"],
};

function badKey(path: Path, name: string): Fault {
  const rule = keyRules[String(path.at(-2))];
  if (rule) return { code: "SPEC_BAD_NAME", what: `${name} cannot ${rule[0]}`, next: rule[1] };
  return {
    code: "SPEC_BAD_LABEL",
    what: `${name} cannot be the key of ${path.at(-2) === "annotations" ? "an annotation" : "a label or taint"}`,
    next: "Write NAME or DOMAIN/NAME of letters, digits and . _ -",
  };
}

function missingField(path: Path, addons: readonly AddonKind[]): Fault {
  const what =
    path.length === 1
      ? `The file lacks ${nameOf(path)}`
      : `${nameOf(path.slice(0, -1))} lacks ${nameOf(path)}`;
  return { code: "SPEC_MISSING_FIELD", what, next: adviseExample(path, "Add", addons) };
}

/** `"memory"`, or `Item 2 of "workers"`. */
function nameOf(path: Path): string {
  const last = path.at(-1);
  return typeof last === "number" ? `Item ${last + 1} of ${nameOf(path.slice(0, -1))}` : `"${String(last)}"`;
}

/** `Write memory: 8GiB`, with the schema's own example. */
function adviseExample(path: Path, verb: string, addons: readonly AddonKind[]): string {
  const { example, fields } = describeAt(path, addons);
  const name = typeof path.at(-1) === "number" ? "" : `${String(path.at(-1))}: `;
  if (example === undefined)
    return fields.length > 0 ? `${verb} ${name}with ${fields.slice(0, 4).join(", ")}` : `${verb} a value`;
  const text = formatExample(example);
  return `${verb} ${name}${text}`;
}
