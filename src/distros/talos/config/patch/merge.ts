import { isDeepStrictEqual } from "node:util";
import type { YamlValue } from "../../../../lib/index.ts";
import type { Shape, StructShape } from "../shapes/shape.ts";

/** Why two values do not go together. The caller, which knows the patch, turns it into an error that names it. */
export class MergeConflict extends Error {
  readonly path: string;
  /** Where in the patch, counted from 0; its path is the place in the config. */
  document?: number;
  operation?: number;

  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

type YamlMap = Record<string, YamlValue>;

/** `right` laid over `left` by the rules of Talos's strategic merge. Neither is changed. */
export function mergeValue(
  shape: Shape | undefined,
  left: YamlValue,
  right: YamlValue,
  path: string,
): YamlValue {
  if (right === undefined || right === null) return left;
  switch (shape?.is) {
    case "replaced":
      return !shape.as && isMap(right) && Object.keys(right).length === 0 ? (left ?? right) : right;
    case "optional":
    case "atomic":
      return scalarOf(right, path);
    case "scalar":
    case "duration":
      return isZero(scalarOf(right, path)) && left !== undefined && left !== null ? left : right;
    case "url":
      return mergeUrl(left, right, path);
    case "list":
      return mergeList(shape, listOf(left, path), listOf(right, path), path);
    case "map":
      return mergeKeys(mapOf(left, path), mapOf(right, path), path, () => shape.of);
    case "struct":
      return mergeStruct(shape, mapOf(left, path), mapOf(right, path), path);
    case "free":
    case undefined:
      return mergeFree(left, right, path);
  }
}

function mergeStruct(shape: StructShape, left: YamlMap, right: YamlMap, path: string): YamlMap {
  const merged = mergeKeys(left, right, path, (key, at) => fieldOf(shape, key, at));
  return forgetUnrepeated(shape, merged, right);
}

/** Talos overwrites atomic values also with the nothing that a patch says about them. */
function forgetUnrepeated(shape: StructShape, merged: YamlMap, right: YamlMap): YamlMap {
  let result = merged;
  for (const [key, there] of Object.entries(merged)) {
    const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if ((right[key] ?? undefined) !== undefined || there === undefined) continue;
    if (field?.is === "atomic") {
      const { [key]: _forgotten, ...others } = result;
      result = others;
    } else if (field?.is === "struct" && field.isValue && isMap(there))
      result = { ...result, [key]: forgetUnrepeated(field, there, {}) };
  }
  return result;
}

function fieldOf(shape: StructShape, key: string, path: string): Shape | undefined {
  const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
  if (!field && !shape.isOpen) throw new MergeConflict(path, "Talos does not know this key");
  return field;
}

function mergeKeys(
  left: YamlMap,
  right: YamlMap,
  path: string,
  shapeFor: (key: string, path: string) => Shape | undefined,
): YamlMap {
  const merged: YamlMap = { ...left };
  for (const [key, value] of Object.entries(right)) {
    const at = path === "" ? key : `${path}.${key}`;
    const shape = shapeFor(key, at);
    if (value !== null && value !== undefined) merged[key] = mergeValue(shape, left[key], value, at);
  }
  return merged;
}

function mergeList(
  shape: Extract<Shape, { is: "list" }>,
  left: readonly YamlValue[],
  right: readonly YamlValue[],
  path: string,
): YamlValue[] {
  const merged = [...left];
  for (const [index, item] of right.entries()) {
    const at = `${path}[${index}]`;
    const found = shape.keys ? merged.findIndex((other) => agree(other, item, shape.keys ?? [])) : -1;
    if (found >= 0) merged[found] = mergeValue(shape.of, merged[found], item, at);
    else merged.push(mergeValue(shape.of, undefined, item, at));
  }
  return merged;
}

/** The first of the keys that the new item has decides. */
function agree(left: YamlValue, right: YamlValue, keys: string[]): boolean {
  if (!isMap(left) || !isMap(right)) return false;
  const key = keys.find((name) => right[name] !== undefined && right[name] !== null);
  return key !== undefined && isDeepStrictEqual(left[key], right[key]);
}

/** Without a known shape the values themselves say what they are. */
function mergeFree(left: YamlValue, right: YamlValue, path: string): YamlValue {
  if (left === undefined || left === null) return right;
  if (kindOf(left) !== kindOf(right))
    throw new MergeConflict(path, `it is ${kindOf(left)} in the config and ${kindOf(right)} in the patch`);
  if (isMap(left) && isMap(right)) return mergeKeys(left, right, path, () => ({ is: "free" }));
  if (Array.isArray(left) && Array.isArray(right))
    return [...(left as YamlValue[]), ...(right as YamlValue[])];
  return isZero(right) ? left : right;
}

/** An endpoint without a path keeps the path that was there. */
function mergeUrl(left: YamlValue, right: YamlValue, path: string): YamlValue {
  const parts = urlParts.exec(String(scalarOf(right, path)));
  const old = typeof left === "string" ? urlParts.exec(left) : undefined;
  if (!parts || !old) return right;
  const [scheme = "", host = "", route = "", query = ""] = [1, 2, 3, 4].map((n) => parts[n] || old[n] || "");
  return `${scheme}${host}${route}${query}`;
}

const urlParts = /^([a-z][a-z0-9+.-]*:)?(\/\/[^/?#]*)?([^?#]*)(\?.*)?$/i;

const isZero = (value: YamlValue): boolean => value === "" || value === 0;

export const isMap = (value: YamlValue): value is YamlMap =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const kindOf = (value: YamlValue): string =>
  Array.isArray(value) ? "a list" : isMap(value) ? "a map" : `a ${typeof value}`;

function scalarOf(value: YamlValue, path: string): YamlValue {
  if (typeof value === "object")
    throw new MergeConflict(path, `it must be a single value, not ${kindOf(value)}`);
  return value;
}

function listOf(value: YamlValue, path: string): readonly YamlValue[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) throw new MergeConflict(path, `it must be a list, not ${kindOf(value)}`);
  return value as readonly YamlValue[];
}

function mapOf(value: YamlValue, path: string): YamlMap {
  if (value === undefined || value === null) return {};
  if (!isMap(value)) throw new MergeConflict(path, `it must be a map, not ${kindOf(value)}`);
  return value;
}
