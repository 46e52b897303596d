import type { z } from "zod";
import { explainIssue, type FlatIssue, flattenIssues } from "./explain-issue.ts";
import type { LocatedDocument } from "./located-document.ts";
import type { Problem } from "./problem.ts";
import { fileSchema, type WrittenFile } from "./schema.ts";
import { describeAt } from "./describe-at.ts";
import { suggest } from "./suggest.ts";
import { formatPath, type Path } from "./text-places.ts";
import { isOtherProvider, meantBy } from "./unknown-field.ts";
import { isRecord, valueAt } from "./value-at.ts";

export interface Shaped {
  problems: Problem[];
  /** What could be understood: wrong parts are left out so that the rest can still be checked. */
  written?: WrittenFile;
}

/** Holds a document against the schema. */
export function checkShape(document: LocatedDocument): Shaped {
  const problems = repairNames(document);
  const first = fileSchema.safeParse(document.value);
  if (first.success) return { problems, written: first.data };
  const issues = flattenIssues(first.error.issues, document.value);
  const told = issues.filter((issue) => !lacksOnlyProvider(issue, document));
  problems.push(...told.map((issue) => explainIssue(issue, document)));
  return { problems, ...withoutWrongParts(document, issues) };
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
function repairNames(document: LocatedDocument): Problem[] {
  const problems: Problem[] = [];
  // Each round can uncover unknown fields one level deeper; the schema is less than ten levels deep.
  for (let round = 0; round < 10; round++) {
    const parsed = fileSchema.safeParse(document.value);
    const unknown = flattenIssues(parsed.error?.issues ?? [], document.value).filter(isUnknownKeys);
    if (unknown.length === 0) break;
    for (const issue of unknown) problems.push(...repairMap(document, issue));
  }
  return problems;
}

type UnknownKeys = FlatIssue & { issue: z.core.$ZodIssueUnrecognizedKeys };

const isUnknownKeys = (flat: FlatIssue): flat is UnknownKeys => flat.issue.code === "unrecognized_keys";

function repairMap(document: LocatedDocument, { issue, path }: UnknownKeys): Problem[] {
  const map = valueAt(document.value, path);
  if (!isRecord(map)) return [];
  const known = describeAt(path).fields;
  return issue.keys.map((key): Problem => {
    const problem = explainIssue({ issue: { ...issue, keys: [key] }, path }, document);
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
function withoutWrongParts(document: LocatedDocument, issues: FlatIssue[]): Pick<Shaped, "written"> {
  const { value } = document;
  let wrong = issues;
  // Each round climbs one level at least; the schema is less than twelve levels deep.
  for (let round = 0; round < 12; round++) {
    // What is missing cannot be removed, so the map that needs it goes.
    const paths = wrong.map(({ path }) => (valueAt(value, path) === undefined ? path.slice(0, -1) : path));
    const distinct = new Map(paths.map((path) => [formatPath(path), path]));
    // Items of a list from its end, so that the numbers of those before them still hold.
    for (const path of [...distinct.values()].toReversed()) remove(document, path);
    const parsed = fileSchema.safeParse({ version: 1, ...value });
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
