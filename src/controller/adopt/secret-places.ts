import { addons } from "../../addons/index.ts";
import { fleetJsonSchema, type JsonSchema } from "../../spec/index.ts";

/** A place of the cluster file whose value lies elsewhere: a secret, or a file that is named by its path. */
export type PlaceKind = "secret" | "path";

/** What stands at such a place instead; undefined: it stays as it is. */
export type Replace = (kind: PlaceKind, value: unknown, path: readonly string[]) => Promise<unknown>;

/** Fields that name a file by its path; objects take it from a Secret. */
const pathFields = new Set(["ca", "keyFile", "knownHosts"]);

/** Replaces such places in a part of a file, `host` or `cluster`. */
export type ReplacePlaces = (part: "host" | "cluster", value: unknown, replace: Replace) => Promise<unknown>;

/** The schema of the file says where they are. */
export function placesOfFile(): ReplacePlaces {
  const { definitions: known = {} } = fleetJsonSchema(addons);

  async function walk(
    data: unknown,
    schemas: readonly JsonSchema[],
    path: readonly string[],
    replace: Replace,
  ): Promise<unknown> {
    const { branches, isSecret } = branchesOf(schemas, known);
    const kind = isSecret ? "secret" : isPath(path, branches) ? "path" : undefined;
    if (kind !== undefined) {
      const replaced = await replace(kind, data, path);
      if (replaced !== undefined) return replaced;
    }
    if (Array.isArray(data)) {
      const items = branches.flatMap(({ items: each }) => each ?? []);
      return Promise.all(data.map((item: unknown, at) => walk(item, items, [...path, String(at)], replace)));
    }
    if (typeof data !== "object" || data === null) return data;
    const fields = Object.entries(data).map(async ([key, field]) => [
      key,
      await walk(field, schemasOf(key, branches), [...path, key], replace),
    ]);
    return Object.fromEntries(await Promise.all(fields)) as unknown;
  }

  return (part, value, replace) => walk(value, [{ $ref: `#/definitions/${part}` }], [], replace);
}

/** All forms that a value may have, references followed. */
function branchesOf(
  schemas: readonly JsonSchema[],
  known: Record<string, JsonSchema>,
): { branches: JsonSchema[]; isSecret: boolean } {
  const found = schemas.map((schema) => {
    const name = schema.$ref?.split("/").at(-1);
    if (name === "secret") return { branches: [], isSecret: true };
    const inner = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(name ? [known[name] ?? {}] : [])];
    const below = branchesOf(inner, known);
    return { branches: [schema, ...below.branches], isSecret: below.isSecret };
  });
  return {
    branches: found.flatMap(({ branches }) => branches),
    isSecret: found.some(({ isSecret }) => isSecret),
  };
}

const schemasOf = (key: string, branches: readonly JsonSchema[]): JsonSchema[] =>
  branches.flatMap(({ properties, additionalProperties }) => {
    const own = properties?.[key];
    if (own) return [own];
    return typeof additionalProperties === "object" ? [additionalProperties] : [];
  });

/** What is in others' languages, such as the values of a chart, says of no field what it is. */
const isPath = (path: readonly string[], branches: readonly JsonSchema[]): boolean =>
  pathFields.has(path.at(-1) ?? "") && branches.some(({ type }) => type === "string");
