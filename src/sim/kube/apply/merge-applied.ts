import type { Kind } from "../store/kinds.ts";
import { itemStep, listShape } from "./list-shape.ts";
import { isFields, type Fields, type FieldTree } from "../store/object.ts";

/** The live object with the applied configuration laid over it: maps merge, lists by their shape. */
export function mergeApplied(kind: Kind, live: unknown, applied: unknown, path: string[] = []): unknown {
  if (isFields(applied)) {
    const merged: Fields = isFields(live) ? { ...live } : {};
    for (const [name, value] of Object.entries(applied))
      if (value !== undefined) merged[name] = mergeApplied(kind, merged[name], value, [...path, name]);
    return merged;
  }
  if (!Array.isArray(applied) || !Array.isArray(live)) return applied;
  const shape = listShape(kind, path);
  if (shape === "atomic") return applied;
  if (shape === "set") {
    const known = new Set(live.map((item) => JSON.stringify(item)));
    return [...live, ...applied.filter((item) => !known.has(JSON.stringify(item)))];
  }
  const merged: unknown[] = [...live];
  for (const item of applied) {
    const step = itemStep(shape, item);
    const at = merged.findIndex((other) => itemStep(shape, other) === step);
    if (at === -1) merged.push(item);
    else merged[at] = mergeApplied(kind, merged[at], item, path);
  }
  return merged;
}

/** The object without the given fields; what is left empty by that goes too. */
export function withoutFields(kind: Kind, value: unknown, gone: FieldTree, path: string[] = []): unknown {
  if (isFields(value)) {
    const rest: Fields = {};
    for (const [name, item] of Object.entries(value)) {
      const tree = gone[`f:${name}`];
      const kept = tree === undefined ? item : withoutStep(kind, item, tree, [...path, name]);
      if (kept !== undefined) rest[name] = kept;
    }
    return rest;
  }
  if (!Array.isArray(value)) return value;
  const shape = listShape(kind, path);
  if (shape === "atomic") return value;
  return value.flatMap((item: unknown) => {
    const step = shape === "set" ? `v:${JSON.stringify(item)}` : itemStep(shape, item);
    const tree = step === undefined ? undefined : gone[step];
    const kept = tree === undefined ? item : withoutStep(kind, item, tree, path);
    return kept === undefined ? [] : [kept];
  });
}

function withoutStep(kind: Kind, item: unknown, tree: FieldTree, path: string[]): unknown {
  // A list item given up goes as a whole, with what the server filled in.
  if (Object.keys(tree).length === 0 || "." in tree) return undefined;
  const rest = withoutFields(kind, item, tree, path);
  const isEmpty = Array.isArray(rest) ? rest.length === 0 : isFields(rest) && Object.keys(rest).length === 0;
  return isEmpty ? undefined : rest;
}
