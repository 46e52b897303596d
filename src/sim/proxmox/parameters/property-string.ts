import type { Property, PropertyAlias, PropertyTable } from "../../../clients/proxmox/endpoints/index.ts";

export type Properties = Record<string, string>;

const isAlias = (entry: Property | PropertyAlias): entry is PropertyAlias => "alias" in entry;

/** Splits `key=value,key=value`, following aliases. Throws the real server's words as an Error. */
export function parseProperties(table: PropertyTable, text: string, version: 8 | 9): Properties {
  const found: Properties = {};
  let hasDefault = false;
  for (const part of text.split(",")) {
    if (part.trim() === "") continue;
    const [, key, value] = /^([^=]+)=(.+)$/s.exec(part) ?? [];
    if (key !== undefined && value !== undefined) addPair(table, found, key, value, version);
    else if (!part.includes("=")) {
      const name = defaultKey(table);
      if (name === undefined) throw new Error("value without key, but schema does not define a default key");
      if (hasDefault || found[name] !== undefined) {
        throw new Error(`duplicate key in comma-separated list property: ${name}`);
      }
      hasDefault = true;
      // 8 takes words for flags only where they have a name.
      found[name] = version === 9 ? asWritten(table, name, part) : part;
    } else throw new Error("missing key in comma-separated list property");
  }
  return found;
}

function addPair(table: PropertyTable, found: Properties, key: string, value: string, version: 8 | 9): void {
  if (found[key] !== undefined) throw new Error(`duplicate key in comma-separated list property: ${key}`);
  const entry = table[key];
  const target = entry && isAlias(entry) && !(version === 8 && entry.in8) ? entry.alias : key;
  if (entry && isAlias(entry) && entry.keyAlias !== undefined) {
    if (found[entry.keyAlias] !== undefined)
      throw new Error(`key alias '${entry.keyAlias}' is already defined`);
    found[entry.keyAlias] = key;
  }
  found[target] = asWritten(table, target, value);
}

/** `yes` and `off` are flags too. */
function asWritten(table: PropertyTable, key: string, value: string): string {
  const property = table[key];
  return property && !isAlias(property) && property.type === "boolean" ? toFlag(value) : value;
}

const toFlag = (value: string): string => {
  if (/^(1|on|yes|true)$/i.test(value)) return "1";
  return /^(0|off|no|false)$/i.test(value) ? "0" : value;
};

const defaultKeys = new WeakMap<PropertyTable, string>();

/** The key that may be written bare; looked up often, so remembered. */
export function defaultKey(table: PropertyTable): string | undefined {
  const known = defaultKeys.get(table);
  if (known !== undefined) return known;
  const found = Object.entries(table).find(([, entry]) => !isAlias(entry) && entry.isDefault)?.[0];
  if (found !== undefined) defaultKeys.set(table, found);
  return found;
}

/** The default key first and bare, then the others by name, as the server writes them. */
export function printProperties(table: PropertyTable, values: Properties): string {
  const first = defaultKey(table);
  const bare = first === undefined ? [] : [values[first]].filter((value) => value !== undefined);
  const rest = Object.keys(values)
    .filter((key) => key !== first)
    .toSorted()
    .map((key) => `${key}=${values[key]}`);
  return [...bare, ...rest].join(",");
}
