import type { YamlValue } from "../../../../lib/index.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import { keyOrder } from "../key-order.ts";
import { isMap } from "./merge.ts";
import type { Shape, StructShape } from "../shapes/shape.ts";

/** A document in Talos's own order, without what Talos would not write: a patched config looks like a generated one. */
export const tidyDocument = (shape: StructShape, document: MachineConfigDocument): MachineConfigDocument =>
  tidyStruct(shape, document);

function tidy(shape: Shape | undefined, value: YamlValue): YamlValue {
  if (value === null || value === undefined) return value;
  if (shape?.is === "struct" && isMap(value)) return tidyStruct(shape, value);
  if (shape?.is === "list" && Array.isArray(value)) return value.map((item) => tidy(shape.of, item));
  if (shape?.is === "map" && isMap(value)) return sortedKeys(value, shape.of);
  if (shape?.is === "replaced" && shape.as) return tidy(shape.as, value);
  if (shape?.is === "free" || shape?.is === "replaced") return sortedDeeply(value);
  if (shape?.is === "duration" && typeof value === "string") return writtenOut(value);
  return value;
}

function tidyStruct(shape: StructShape, value: MachineConfigDocument): MachineConfigDocument {
  const result: MachineConfigDocument = {};
  const others = Object.keys(value).filter((key) => !Object.hasOwn(shape.fields, key));
  for (const key of [...Object.keys(shape.fields), ...others]) {
    const field = shape.fields[key];
    const tidied = tidy(field, value[key]);
    const isAlways = shape.always !== undefined && Object.hasOwn(shape.always, key);
    if (isAlways) result[key] = tidied ?? shape.always?.[key];
    else if (!isLeftOut(field, tidied, value[key])) result[key] = tidied;
  }
  return result;
}

function isLeftOut(shape: Shape | undefined, value: YamlValue, untidied: YamlValue): boolean {
  if (value === null || value === undefined) return true;
  if (shape?.is === "struct") return shape.isLeftOutEmpty === true && isEmptyStruct(shape, untidied);
  if (!shape || shape.is === "optional") return false;
  if (shape.is === "list") return Array.isArray(value) && value.length === 0;
  if (isMap(value)) return Object.keys(value).length === 0;
  return value === "" || value === 0;
}

/** Nothing in any of its fields. What hangs on its own, as a switch or an optional struct, counts even when empty. */
const isEmptyStruct = (shape: StructShape, value: YamlValue): boolean =>
  isMap(value) &&
  Object.entries(value).every(([key, inner]) => {
    const field = Object.hasOwn(shape.fields, key) ? shape.fields[key] : undefined;
    if (inner === undefined || inner === null) return true;
    if (field?.is === "struct") return field.isValue === true && isEmptyStruct(field, inner);
    return isLeftOut(field, inner, inner);
  });

const sortedKeys = (value: MachineConfigDocument, of: Shape): MachineConfigDocument =>
  Object.fromEntries(
    Object.keys(value)
      .toSorted(keyOrder)
      .map((key) => [key, tidy(of, value[key])]),
  );

function sortedDeeply(value: YamlValue): YamlValue {
  if (Array.isArray(value)) return value.map((item) => sortedDeeply(item as YamlValue));
  return isMap(value) ? sortedKeys(value, { is: "free" }) : value;
}

/** A Go duration of whole seconds with all its smaller units: `90m` becomes `1h30m0s`. Others stay as they are. */
function writtenOut(text: string): string {
  if (!/^(\d+h)?(\d+m)?(\d+s)?$/.test(text) || text === "") return text;
  const total = [...text.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, count, unit]) => sum + Number(count) * (unit === "h" ? 3600 : unit === "m" ? 60 : 1),
    0,
  );
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor((total % 3600) / 60);
  return `${hours > 0 ? `${hours}h` : ""}${hours > 0 || minutes > 0 ? `${minutes}m` : ""}${total % 60}s`;
}
