import { ApiError } from "../store/api-error.ts";
import {
  changedFields,
  difference,
  fieldsOf,
  intersection,
  leaves,
  union,
  writtenPath,
} from "./field-tree.ts";
import { apiVersionOf, type Kind } from "../store/kinds.ts";
import type { Fields, FieldTree, KubeObject, ManagedFields } from "../store/object.ts";

export interface Manager {
  name: string;
  operation: "Apply" | "Update";
  subresource?: string | undefined;
}

/** Who owns what after a write that was not an apply: the writer owns what it changed, and nobody what is gone. */
export function trackUpdate(
  kind: Kind,
  before: KubeObject | undefined,
  after: KubeObject,
  manager: Manager,
  time: string,
): ManagedFields[] {
  const changed = before ? changedFields(kind, before, after) : fieldsOf(kind, after);
  const present = fieldsOf(kind, after);
  const others = (before?.metadata.managedFields ?? []).filter((entry) => !isBy(entry, manager));
  const own = before?.metadata.managedFields?.find((entry) => isBy(entry, manager));
  const owned = intersection(union(own?.fieldsV1 ?? {}, changed), present);
  const isUnchanged = own !== undefined && isEmpty(difference(owned, own.fieldsV1));
  return withEntry(
    others.map((entry) => keep(entry, intersection(difference(entry.fieldsV1, changed), present))),
    entryOf(kind, manager, owned, (isUnchanged ? own.time : undefined) ?? time),
  );
}

/** Who owns what after `manager` applied `wanted`; refuses fields others own with another value, unless forced. */
export function trackApply(
  kind: Kind,
  before: KubeObject | undefined,
  wanted: Fields,
  manager: Manager,
  options: { isForced: boolean; time: string },
): ManagedFields[] {
  const applied = fieldsOf(kind, wanted);
  const entries = before?.metadata.managedFields ?? [];
  const changed = before ? intersection(changedFields(kind, before, wanted), applied) : {};
  const conflicts = entries
    .filter((entry) => !isBy(entry, manager))
    .map((entry) => ({ entry, fields: intersection(entry.fieldsV1, changed) }))
    .filter(({ fields }) => leaves(fields).length > 0);
  const isForced =
    options.isForced || (before !== undefined && isInherited(kind, before, manager, conflicts));
  if (conflicts.length > 0 && !isForced) throw applyConflict(conflicts);
  const others = entries
    .filter((entry) => !isBy(entry, manager))
    .map((entry) => keep(entry, difference(entry.fieldsV1, changed)));
  const own = entries.find((entry) => isBy(entry, manager));
  const isUnchanged =
    own !== undefined &&
    isEmpty(difference(applied, own.fieldsV1)) &&
    isEmpty(difference(own.fieldsV1, applied)) &&
    isEmpty(changed);
  return withEntry(
    others,
    entryOf(kind, manager, applied, (isUnchanged ? own.time : undefined) ?? options.time),
  );
}

/** What `manager` applied before, no longer wants, and nobody else owns: apply removes it. */
export function abandonedFields(kind: Kind, before: KubeObject, wanted: Fields, manager: Manager): FieldTree {
  const entries = before.metadata.managedFields ?? [];
  const own = entries.find((entry) => isBy(entry, manager));
  if (!own) return {};
  const others = entries.filter((entry) => entry !== own).map((entry) => entry.fieldsV1);
  return others.reduce(difference, difference(own.fieldsV1, fieldsOf(kind, wanted)));
}

const isBy = (entry: ManagedFields, manager: Manager): boolean =>
  entry.manager === manager.name &&
  entry.operation === manager.operation &&
  (entry.subresource ?? "") === (manager.subresource ?? "");

const entryOf = (kind: Kind, manager: Manager, fieldsV1: FieldTree, time: string): ManagedFields => ({
  manager: manager.name,
  operation: manager.operation,
  apiVersion: apiVersionOf(kind),
  time,
  fieldsType: "FieldsV1",
  fieldsV1,
  subresource: manager.subresource,
});

const keep = (entry: ManagedFields, fieldsV1: FieldTree): ManagedFields => ({ ...entry, fieldsV1 });

const withEntry = (others: ManagedFields[], own: ManagedFields): ManagedFields[] =>
  [...others, own].filter((entry) => !isEmpty(entry.fieldsV1));

const isEmpty = (tree: FieldTree): boolean => Object.keys(tree).length === 0;

interface Conflict {
  entry: ManagedFields;
  fields: FieldTree;
}

/** A person who moves from client-side to server-side apply takes along what they applied before. */
function isInherited(kind: Kind, before: KubeObject, manager: Manager, conflicts: Conflict[]): boolean {
  const text = before.metadata.annotations?.["kubectl.kubernetes.io/last-applied-configuration"];
  if (manager.name !== "kubectl" || text === undefined) return false;
  const last = JSON.parse(text) as Fields;
  const unchanged = difference(fieldsOf(kind, last), changedFields(kind, before, last));
  return conflicts.every(({ fields }) => leaves(difference(fields, unchanged)).length === 0);
}

function applyConflict(conflicts: Conflict[]): ApiError {
  const causes = conflicts.flatMap(({ entry, fields }) =>
    leaves(fields).map((steps) => ({
      reason: "FieldManagerConflict",
      message: `conflict with ${written(entry)}`,
      field: writtenPath(steps),
    })),
  );
  const parts = conflicts.map(({ entry, fields }) => {
    const paths = leaves(fields).map(writtenPath);
    return paths.length === 1
      ? `conflict with ${written(entry)}: ${paths[0]}`
      : `conflicts with ${written(entry)}:${paths.map((path) => `\n- ${path}`).join("")}`;
  });
  const count = causes.length === 1 ? "1 conflict" : `${causes.length} conflicts`;
  return new ApiError(409, "Conflict", `Apply failed with ${count}: ${parts.join("\n")}`, { causes });
}

/** Managers that applied are named plainly; those that updated with version and time. */
function written(entry: ManagedFields): string {
  const name =
    JSON.stringify(entry.manager) +
    (entry.subresource === undefined ? "" : ` with subresource ${JSON.stringify(entry.subresource)}`);
  if (entry.operation === "Apply") return name;
  return `${name} using ${entry.apiVersion}${entry.time === undefined ? "" : ` at ${entry.time}`}`;
}
