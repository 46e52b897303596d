import type { z } from "zod";
import type { AddonKind } from "../../addons/index.ts";
import { explainIssue, type FlatIssue, flattenIssues } from "./explain-issue.ts";
import type { LocatedDocument } from "../../source/located-document.ts";
import type { Problem } from "../../source/problem.ts";
import { fileSchema, type WrittenFile } from "../file.ts";
import { describeAt } from "./describe-at.ts";
import { suggest } from "../../source/suggest.ts";
import { formatPath, type Path } from "../../source/positions.ts";
import { isOtherProvider, meantBy } from "./unknown-field.ts";
import { isRecord, valueAt } from "../../source/value-at.ts";

export interface Shaped {
  problems: Problem[];
  /** What could be understood: wrong parts are left out so that the rest can still be checked. */
  written?: WrittenFile;
}

/** Holds a document against the schema. */
export function checkShape(document: LocatedDocument, addons: readonly AddonKind[]): Shaped {
  const { problems, parsed: first } = repairNames(document, addons);
  if (first.success) return { problems, written: first.data };
  const issues = flattenIssues(first.error.issues, document.value);
  const told = issues.filter((issue) => !lacksOnlyProvider(issue, document));
  problems.push(...told.map((issue) => explainIssue(issue, document, addons)));
  return { problems, ...withoutWrongParts(document, issues, addons) };
}

/** A host with an unknown provider has been told so; that it lacks a known one adds nothing. */
const lacksOnlyProvider = ({ path }: FlatIssue, document: LocatedDocument): boolean =>
  path[0] === "hosts" &&
  (path.length === 2 || path.length === 3) &&
  document.mapKeys(path.slice(0, 2)).some((name) => isOtherProvider(name));

/**
 * Reports unknown fields. A near miss is taken for what was probably meant, so that what stands
 * below it is checked as well; anything else is dropped.
 */
function repairNames(
  document: LocatedDocument,
  addons: readonly AddonKind[],
): { problems: Problem[]; parsed: Parsed } {
  const problems: Problem[] = [];
  // Each round can uncover unknown fields one level deeper; the schema is less than ten levels deep.
  for (let round = 0; ; round++) {
    const parsed = readOnce(document.value, addons);
    const unknown = flattenIssues(parsed.error?.issues ?? [], document.value).filter(isUnknownKeys);
    if (unknown.length === 0 || round === 10) return { problems, parsed };
    for (const issue of unknown) problems.push(...repairMap(document, issue, addons));
  }
}

type Parsed = ReturnType<typeof readOnce>;

/** A file is read once or twice; making functions of the schema, as zod does for values by the thousand, takes longer. */
const readOnce = (value: unknown, addons: readonly AddonKind[]) =>
  fileSchema(addons).safeParse(value, { jitless: true });

type UnknownKeys = FlatIssue & { issue: z.core.$ZodIssueUnrecognizedKeys };

const isUnknownKeys = (flat: FlatIssue): flat is UnknownKeys => flat.issue.code === "unrecognized_keys";

function repairMap(
  document: LocatedDocument,
  { issue, path }: UnknownKeys,
  addons: readonly AddonKind[],
): Problem[] {
  const map = valueAt(document.value, path);
  if (!isRecord(map)) return [];
  const known = describeAt(path, addons).fields;
  return issue.keys.map((key): Problem => {
    const problem = explainIssue({ issue: { ...issue, keys: [key] }, path }, document, addons);
    const meant = meantBy(key, known) ?? suggest(key, known);
    if (meant !== undefined && !Object.hasOwn(map, meant)) {
      map[meant] = map[key];
      document.rename(path, key, meant);
    }
    delete map[key];
    return problem;
  });
}

/** Removes what is wrong, then what is incomplete without it, until the rest fits. */
function withoutWrongParts(
  document: LocatedDocument,
  issues: FlatIssue[],
  addons: readonly AddonKind[],
): Pick<Shaped, "written"> {
  const { value } = document;
  let wrong = issues;
  // Each round climbs one level at least; the schema is less than twelve levels deep.
  for (let round = 0; round < 12; round++) {
    // What is missing cannot be removed, so the map that needs it goes.
    const paths = wrong.map(({ path }) => (valueAt(value, path) === undefined ? path.slice(0, -1) : path));
    const distinct = new Map(paths.map((path) => [formatPath(path), path]));
    // Items of a list from its end, so that the numbers of those before them still hold.
    for (const path of [...distinct.values()].toReversed()) remove(document, path);
    const parsed = readOnce({ version: 1, ...value }, addons);
    if (parsed.success) return { written: parsed.data };
    wrong = flattenIssues(parsed.error.issues, value);
  }
  return {};
}

function remove(document: LocatedDocument, path: Path): void {
  const parent = valueAt(document.value, path.slice(0, -1));
  const last = path.at(-1);
  if (Array.isArray(parent) && typeof last === "number") {
    parent.splice(last, 1);
    document.dropItem(path.slice(0, -1), last);
  } else if (isRecord(parent) && last !== undefined) {
    delete parent[last];
  }
}
