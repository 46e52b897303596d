import type { YamlValue } from "../../../../lib/index.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import { isMap, MergeConflict } from "./merge.ts";
import type { Shape, StructShape } from "../shapes/shape.ts";

/** A place a patch wants emptied: keys down to it, and for a list item the key and value it is known by. */
export interface Deletion {
  keys: string[];
  item?: { key: string; value: YamlValue };
}

const mark = "$patch";

const isMarked = (value: YamlValue): boolean => isMap(value) && value[mark] === "delete";

/** Parts a patch document into what it deletes and what it merges. */
export function splitDeletions(document: MachineConfigDocument): {
  isWhole: boolean;
  deletions: Deletion[];
  rest: MachineConfigDocument;
} {
  const deletions: Deletion[] = [];
  const rest = withoutMarks(document, [], deletions) as MachineConfigDocument | undefined;
  return { isWhole: isMarked(document), deletions, rest: rest ?? {} };
}

/** The value without its marked parts; undefined when nothing else was in it. */
function withoutMarks(value: YamlValue, keys: string[], found: Deletion[]): YamlValue {
  if (Array.isArray(value)) return listWithoutMarks(value as YamlValue[], keys, found);
  if (!isMap(value)) return value;
  const kept: MachineConfigDocument = {};
  for (const [key, inner] of Object.entries(value)) {
    if (key === mark) {
      if (inner !== "delete") throw new MergeConflict([...keys, key].join("."), 'its only value is "delete"');
    } else if (isMarked(inner)) found.push({ keys: [...keys, key] });
    else kept[key] = withoutMarks(inner, [...keys, key], found);
  }
  const wasEmptied =
    Object.keys(value).length > 0 && Object.values(kept).every((inner) => inner === undefined);
  return wasEmptied ? undefined : kept;
}

function listWithoutMarks(items: YamlValue[], keys: string[], found: Deletion[]): YamlValue {
  const kept: YamlValue[] = [];
  for (const item of items) {
    if (isMap(item) && isMarked(item)) {
      const [key] = Object.keys(item).filter((name) => name !== mark);
      if (key === undefined)
        throw new MergeConflict(keys.join("."), "a deleted list item needs a key to be found by");
      found.push({ keys, item: { key, value: item[key] } });
      continue;
    }
    const inside: Deletion[] = [];
    kept.push(withoutMarks(item, keys, inside));
    if (inside.length > 0)
      throw new MergeConflict(
        keys.join("."),
        "a key inside a list item cannot be deleted, only the whole item",
      );
  }
  return items.length > 0 && kept.length === 0 ? undefined : kept;
}

/** The document without the place. What is not there cannot be deleted. */
export function deleteFrom(
  document: MachineConfigDocument,
  deletion: Deletion,
  shape: StructShape,
): MachineConfigDocument {
  return remove(document, deletion, 0, shape) as MachineConfigDocument;
}

function remove(value: YamlValue, deletion: Deletion, depth: number, shape?: Shape): YamlValue {
  const { keys, item } = deletion;
  const key = keys[depth];
  if (key === undefined) return removeItem(value, deletion);
  if (shape?.is === "replaced" && shape.as)
    throw new MergeConflict(keys.join("."), "it is one value with what stands beside it; delete both");
  const isThere = isMap(value) && Object.hasOwn(value, key);
  if (!isThere) throw new MergeConflict(keys.join("."), "the config has nothing there to delete");
  if (depth === keys.length - 1 && !item) {
    const { [key]: _removed, ...others } = value;
    return others;
  }
  return { ...value, [key]: remove(value[key], deletion, depth + 1, innerShape(shape, key)) };
}

const innerShape = (shape: Shape | undefined, key: string): Shape | undefined =>
  shape?.is === "struct" && Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;

function removeItem(value: YamlValue, { keys, item }: Deletion): YamlValue {
  const items = Array.isArray(value) ? (value as YamlValue[]) : [];
  const index = items.findIndex(
    (candidate) =>
      isMap(candidate) && item !== undefined && String(candidate[item.key]) === String(item.value),
  );
  if (index < 0)
    throw new MergeConflict(keys.join("."), `no item has "${item?.key ?? ""}" with the value of the patch`);
  return items.toSpliced(index, 1);
}
