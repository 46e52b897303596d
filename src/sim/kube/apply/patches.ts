import { badRequest } from "../store/api-error.ts";
import type { Kind } from "../store/kinds.ts";
import { patchKey } from "./list-shape.ts";
import { isFields, isSame, type Fields } from "../store/object.ts";

export type PatchType = "json" | "merge" | "strategic";

/** The object after a patch of any of the three kinds. */
export function patched(kind: Kind, type: PatchType, object: Fields, patch: unknown): unknown {
  if (type === "json") return jsonPatch(object, patch);
  // Custom resources know no strategic merge; the server never sees one for them, it answers 415 before.
  return type === "merge" ? mergePatch(object, patch) : strategicMerge(kind, object, patch, []);
}

/** RFC 7386. A field that is undefined says nothing, as in JSON. */
function mergePatch(value: unknown, patch: unknown): unknown {
  if (!isFields(patch)) return patch;
  const merged: Fields = isFields(value) ? { ...value } : {};
  for (const [name, inner] of Object.entries(patch)) {
    if (inner === null) delete merged[name];
    else if (inner !== undefined) merged[name] = mergePatch(merged[name], inner);
  }
  return merged;
}

/** RFC 6902. */
function jsonPatch(object: Fields, patch: unknown): unknown {
  if (!Array.isArray(patch)) throw badRequest("json patch: the body is not a list of operations");
  let root: unknown = structuredClone(object);
  for (const step of patch as { op: string; path: string; value?: unknown; from?: string }[]) {
    if (step.op === "test") {
      if (!isSame(valueAt(root, step.path), step.value))
        throw badRequest(`testing path ${step.path} value failed: test failed`);
    } else if (step.op === "remove") root = changeAt(root, step.path, "remove");
    else if (step.op === "add" || step.op === "replace")
      root = changeAt(root, step.path, step.op, step.value);
    else if (step.op === "move" || step.op === "copy") {
      const value = structuredClone(valueAt(root, step.from ?? ""));
      if (step.op === "move") root = changeAt(root, step.from ?? "", "remove");
      root = changeAt(root, step.path, "add", value);
    } else throw badRequest(`json patch: unexpected operation "${step.op}"`);
  }
  return root;
}

const pointer = (path: string): string[] =>
  path
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));

function valueAt(root: unknown, path: string): unknown {
  return pointer(path).reduce<unknown>(
    (value, step) => (Array.isArray(value) ? value[Number(step)] : isFields(value) ? value[step] : undefined),
    root,
  );
}

function changeAt(root: unknown, path: string, op: "add" | "replace" | "remove", value?: unknown): unknown {
  const steps = pointer(path);
  const last = steps.pop();
  if (last === undefined) return value;
  const holder = valueAt(
    root,
    steps.map((step) => `/${step.replaceAll("~", "~0").replaceAll("/", "~1")}`).join(""),
  );
  if (Array.isArray(holder)) {
    const at = last === "-" ? holder.length : Number(last);
    holder.splice(at, op === "add" ? 0 : 1, ...(op === "remove" ? [] : [value]));
  } else if (isFields(holder)) {
    if (op !== "add" && !(last in holder)) throw badRequest(`the path ${path} is missing: cannot ${op} it`);
    if (op === "remove") delete holder[last];
    else holder[last] = value;
  } else throw badRequest(`the path ${path} does not exist`);
  return root;
}

/** Kubernetes' own merge: lists of the built-in kinds merge by key; `$patch`, `$retainKeys` and friends are honoured. */
function strategicMerge(kind: Kind, value: unknown, patch: unknown, path: string[]): unknown {
  if (!isFields(patch)) return patch;
  if (patch["$patch"] === "replace") return withoutDirectives(patch);
  const merged: Fields = isFields(value) ? { ...value } : {};
  const retained = patch["$retainKeys"];
  if (Array.isArray(retained))
    for (const name of Object.keys(merged)) if (!retained.includes(name)) delete merged[name];
  for (const [name, inner] of Object.entries(patch)) {
    if (name.startsWith("$deleteFromPrimitiveList/")) {
      const list = merged[name.slice("$deleteFromPrimitiveList/".length)];
      if (Array.isArray(list) && Array.isArray(inner))
        merged[name.slice("$deleteFromPrimitiveList/".length)] = list.filter((item) => !inner.includes(item));
    } else if (name.startsWith("$")) continue;
    else if (inner === null) delete merged[name];
    else if (Array.isArray(inner)) merged[name] = mergeList(kind, merged[name], inner, [...path, name]);
    else merged[name] = strategicMerge(kind, merged[name], inner, [...path, name]);
  }
  return merged;
}

function mergeList(kind: Kind, value: unknown, patch: unknown[], path: string[]): unknown[] {
  const key = patchKey(kind, path);
  const list: unknown[] = Array.isArray(value) ? [...value] : [];
  if (key === undefined) return patch;
  if (key === "set") return [...list, ...patch.filter((item) => !list.includes(item))];
  const isReplace = patch.some((item) => isFields(item) && item["$patch"] === "replace");
  if (isReplace) return patch.filter((item) => isFields(item) && item["$patch"] !== "replace");
  for (const item of patch) {
    if (!isFields(item)) continue;
    const at = list.findIndex((other) => isFields(other) && other[key] === item[key]);
    if (item["$patch"] === "delete") {
      if (at !== -1) list.splice(at, 1);
    } else if (at === -1) list.push(withoutDirectives(item));
    else list[at] = strategicMerge(kind, list[at], item, path);
  }
  return list;
}

const withoutDirectives = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutDirectives);
  if (!isFields(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      name.startsWith("$") || inner === null ? [] : [[name, withoutDirectives(inner)]],
    ),
  );
};
