/** Looking into parsed YAML without trusting its shape. */
export type Fields = Record<string, unknown>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function valueAt(value: unknown, ...path: string[]): unknown {
  let current = value;
  for (const step of path) current = isFields(current) ? current[step] : undefined;
  return current;
}

export function textAt(value: unknown, ...path: string[]): string {
  const found = valueAt(value, ...path);
  return typeof found === "string" || typeof found === "number" ? String(found) : "";
}

export const fieldsAt = (value: unknown, ...path: string[]): Fields => {
  const found = valueAt(value, ...path);
  return isFields(found) ? found : {};
};

export const listAt = (value: unknown, ...path: string[]): unknown[] => {
  const found = valueAt(value, ...path);
  return Array.isArray(found) ? found : [];
};

export const textsAt = (value: unknown, ...path: string[]): string[] =>
  listAt(value, ...path).filter((item) => typeof item === "string");

export const textFields = (fields: Fields): Record<string, string> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, typeof value === "string" ? value : ""]),
  );

export const ofKind = (documents: Fields[], kind: string): Fields[] =>
  documents.filter((document) => document["kind"] === kind);
