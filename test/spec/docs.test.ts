import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { addonPages, withAddonTable } from "../../scripts/addon-pages.ts";
import { commandsPage } from "../../scripts/commands-page.ts";
import { fleetFileType } from "../../scripts/fleet-file-type.ts";
import { proxmoxCallsType, proxmoxParamsType } from "../../scripts/proxmox-params-type.ts";
import { schemaFile, specPage } from "../../scripts/spec-page.ts";
import { addons } from "../../src/addons/index.ts";
import { fleetJsonSchema, type JsonSchema } from "../../src/spec/index.ts";

const root = path.join(import.meta.dirname, "../..");
const docs = (name: string) => readFileSync(path.join(root, "docs", name), "utf8");

test.each([
  ["spec.md", specPage],
  ["commands.md", commandsPage],
  ["slipway.schema.json", schemaFile],
])('docs/%s is what "npm run docs" writes', (name, make) => {
  expect(docs(name)).toBe(make());
});

test.each([
  ["src/spec/gen/fleet-file.ts", fleetFileType],
  ["src/clients/proxmox/gen/params.ts", proxmoxParamsType],
  ["src/clients/proxmox/gen/call-params.ts", proxmoxCallsType],
])('%s is what "npm run docs" writes', (name, make) => {
  expect(readFileSync(path.join(root, name), "utf8")).toBe(make());
});

test.each(Object.entries(addonPages()))('docs/addons/%s is what "npm run docs" writes', (name, page) => {
  expect(docs(`addons/${name}`)).toBe(page);
});

test('the guide lists every add-on as "npm run docs" does', async () => {
  const guide = docs("guides/addons.md");
  expect(await withAddonTable(guide)).toBe(guide);
});

test("every field of the cluster file is described", () => {
  const schema = fleetJsonSchema(addons);
  const maps = [schema, ...Object.values(schema.definitions ?? {})];
  const undescribed = maps.flatMap((map) =>
    Object.entries(map.properties ?? {})
      .filter(([, field]) => described(field, schema) === "")
      .map(([name]) => name),
  );
  expect(undescribed).toEqual([]);
});

function described(field: JsonSchema, whole: JsonSchema): string {
  const reference = field.$ref ?? field.allOf?.[0]?.$ref ?? "";
  return field.description ?? whole.definitions?.[reference.split("/").at(-1) ?? ""]?.description ?? "";
}

const yamlExamples = readdirSync(path.join(root, "examples")).filter((name) => name.endsWith(".yaml"));

describe("the schema for editors accepts", () => {
  test.each(yamlExamples)("examples/%s, whose first line leads to it", (name) => {
    const text = readFileSync(path.join(root, "examples", name), "utf8");
    const [, place = ""] = /^# yaml-language-server: \$schema=(\S+)\n/.exec(text) ?? [];
    expect(path.join(root, "examples", place)).toBe(path.join(root, "docs/slipway.schema.json"));
    const schema = JSON.parse(docs("slipway.schema.json")) as JsonSchema;
    expect(mismatches(parse(text), schema, schema, "")).toEqual([]);
  });
});

/** As much of JSON Schema as this schema uses: enough to see that editors will not underline a correct file. */
function mismatches(value: unknown, schema: JsonSchema, whole: JsonSchema, at: string): string[] {
  const target =
    schema.$ref === undefined ? undefined : whole.definitions?.[schema.$ref.split("/").at(-1) ?? ""];
  const all = [...(target ? [target] : []), ...(schema.allOf ?? [])].flatMap((one) =>
    mismatches(value, one, whole, at),
  );
  const choices = schema.anyOf?.map((one) => mismatches(value, one, whole, at)) ?? [];
  const chosen = choices.length === 0 || choices.some((found) => found.length === 0) ? [] : choices.flat();
  const types = [schema.type ?? []].flat();
  const kind = Array.isArray(value) ? "array" : typeof value;
  const fits =
    types.length === 0 || types.includes(kind) || (Number.isInteger(value) && types.includes("integer"));
  const own = fits ? [] : [`${at} is ${kind}, not ${types.join(" or ")}`];
  if (schema.pattern !== undefined && !new RegExp(schema.pattern).test(String(value)))
    own.push(`${at} is no ${schema.pattern}`);
  if (schema.enum && !schema.enum.includes(value)) own.push(`${at} is not listed`);
  if (Array.isArray(value)) {
    const { items } = schema;
    return [
      ...all,
      ...chosen,
      ...own,
      ...value.flatMap((item, i) => (items ? mismatches(item, items, whole, `${at}[${i}]`) : [])),
    ];
  }
  const fields = typeof value === "object" && value !== null ? Object.entries(value) : [];
  const below = fields.flatMap(([name, field]) => {
    const known = schema.properties?.[name] ?? schema.additionalProperties ?? {};
    if (known === false) return [`${at}.${name} is unknown`];
    return known === true ? [] : mismatches(field, known, whole, `${at}.${name}`);
  });
  const missing = (schema.required ?? []).filter(
    (name) => kind === "object" && !fields.some(([field]) => field === name),
  );
  return [...all, ...chosen, ...own, ...below, ...missing.map((name) => `${at} lacks ${name}`)];
}
