import type { YamlValue } from "../../../../lib/index.ts";
import { isMap } from "../patch/merge.ts";
import type { Shape } from "./shape.ts";

export interface UnknownKey {
  path: string;
  /** Nodes know it from this minor on; absent: no Talos does. */
  since?: number;
}

/** The first key that nodes of a Talos minor would refuse. */
export function findUnknownKey(
  shape: Shape,
  value: YamlValue,
  minor: number,
  path = "",
): UnknownKey | undefined {
  if (value === null || value === undefined) return undefined;
  if (shape.is === "replaced") return shape.as && findUnknownKey(shape.as, value, minor, path);
  if (shape.is === "list" && Array.isArray(value))
    return first(value as YamlValue[], (item, index) =>
      findUnknownKey(shape.of, item, minor, `${path}[${index}]`),
    );
  if (shape.is === "map" && isMap(value))
    return first(Object.entries(value), ([key, inner]) =>
      findUnknownKey(shape.of, inner, minor, join(path, key)),
    );
  if (shape.is !== "struct" || !isMap(value)) return undefined;
  return first(Object.entries(value), ([key, inner]) => {
    if (key === "$patch") return undefined;
    const at = join(path, key);
    const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if (!field) return shape.isOpen ? undefined : { path: at };
    if (field.since !== undefined && field.since > minor) return { path: at, since: field.since };
    return findUnknownKey(field, inner, minor, at);
  });
}

function first<T>(
  items: readonly T[],
  find: (item: T, index: number) => UnknownKey | undefined,
): UnknownKey | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index);
    if (found) return found;
  }
  return undefined;
}

const join = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`);
