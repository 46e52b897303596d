import { isDeepStrictEqual } from "node:util";
import type { YamlValue } from "../../../../lib/index.ts";
import { isMap, MergeConflict } from "./merge.ts";

interface Operation {
  op?: string;
  path?: string;
  from?: string;
  value?: YamlValue;
}

/** Applies a JSON patch (RFC 6902). The input is not changed. */
export function applyJsonPatch(document: YamlValue, operations: readonly YamlValue[]): YamlValue {
  let current = document;
  for (const [index, operation] of operations.entries()) {
    try {
      current = applyOperation(current, isMap(operation) ? operation : {});
    } catch (error) {
      if (error instanceof MergeConflict) error.operation = index;
      throw error;
    }
  }
  return current;
}

function applyOperation(document: YamlValue, { op, path, from, value }: Operation): YamlValue {
  if (typeof path !== "string") throw new MergeConflict("", 'an operation has no "path"');
  const keys = pointer(path);
  switch (op) {
    case "add":
      return change(document, keys, path, () => value, true);
    case "replace":
      readAt(document, keys, path);
      return change(document, keys, path, () => value, false);
    case "remove":
      readAt(document, keys, path);
      return change(document, keys, path, undefined, false);
    case "test":
      if (!isDeepStrictEqual(readAt(document, keys, path), value))
        throw new MergeConflict(path, "the value there is not the one the patch tests for");
      return document;
    case "copy":
    case "move": {
      const source = pointer(String(from));
      const moved = readAt(document, source, String(from));
      const base = op === "move" ? change(document, source, String(from), undefined, false) : document;
      return change(base, keys, path, () => moved, true);
    }
    default:
      throw new MergeConflict(path, `"${String(op)}" is not an operation of a JSON patch`);
  }
}

const pointer = (path: string): string[] =>
  path === ""
    ? []
    : path
        .slice(1)
        .split("/")
        .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));

function readAt(document: YamlValue, keys: string[], path: string): YamlValue {
  let current = document;
  for (const key of keys) {
    const next = Array.isArray(current)
      ? (current[Number(key)] as YamlValue)
      : isMap(current)
        ? current[key]
        : undefined;
    if (next === undefined) throw new MergeConflict(path, "the config has nothing there");
    current = next;
  }
  return current;
}

/** Without `make` the place is removed. */
function change(
  value: YamlValue,
  keys: string[],
  path: string,
  make: (() => YamlValue) | undefined,
  isInsert: boolean,
): YamlValue {
  const [key, ...deeper] = keys;
  if (key === undefined) return make?.();
  if (Array.isArray(value)) {
    const items = [...(value as YamlValue[])];
    const index = key === "-" ? items.length : Number(key);
    if (!Number.isInteger(index) || index < 0 || index > items.length)
      throw new MergeConflict(path, `the list has no place "${key}"`);
    if (deeper.length > 0) items[index] = change(items[index], deeper, path, make, isInsert);
    else if (make) items.splice(index, isInsert ? 0 : 1, make());
    else items.splice(index, 1);
    return items;
  }
  if (!isMap(value)) throw new MergeConflict(path, "the config has no map or list there");
  const { [key]: old, ...others } = value;
  if (deeper.length === 0 && !make) return others;
  return { ...value, [key]: deeper.length === 0 ? make?.() : change(old, deeper, path, make, isInsert) };
}
