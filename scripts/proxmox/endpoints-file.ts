import path from "node:path";
import type { EndpointTable } from "../../src/clients/proxmox/index.ts";
import calls from "./calls.json" with { type: "json" };
import { endpointOf } from "./endpoint-table.ts";
import { readServerSchema } from "./server-schema.ts";

const head = (from: string) => `// Made by scripts/generate-proxmox.ts from the schemas of real servers.
import type { Endpoint } from "${from}";
`;

/** What is longer than this and stands in several places is written once. */
const longest = 100;

/** The calls Slipway knows as TypeScript, made from the schemas in a folder. */
export function proxmoxEndpoints(dir: string): string {
  const { constants, entries } = tableText(tableOf(dir, () => calls));
  const names = calls.map((call) => `\n  | ${keyText(call)}`);
  return [
    head("../endpoints/schema.ts"),
    constants,
    `type Name =${names.join("")};\n`,
    `export const endpoints: { readonly [Call in Name]: Endpoint } = {\n${entries}};\n`,
  ].join("\n");
}

/** All the others that real servers have: the simulated one checks them, and does nothing of what they ask for. */
export function furtherEndpoints(dir: string): string {
  const known = new Set(calls);
  const { constants, entries } = tableText(
    tableOf(dir, (all) => all.filter((call) => !known.has(call)).toSorted()),
  );
  return [
    head("../../../clients/proxmox/endpoints/index.ts"),
    constants,
    `export const furtherEndpoints: { readonly [call: string]: Endpoint } = {\n${entries}};\n`,
  ].join("\n");
}

function tableOf(dir: string, select: (all: string[]) => string[]): EndpointTable {
  const in9 = readServerSchema(path.join(dir, "proxmox-api.json.gz"));
  const in8 = readServerSchema(path.join(dir, "proxmox-api-8.json.gz"));
  const all = [...new Set([...in9.keys(), ...in8.keys()])];
  return Object.fromEntries(
    select(all).map((call) => [call, endpointOf(call, in9.get(call), in8.get(call))]),
  );
}

function tableText(table: EndpointTable): { constants: string; entries: string } {
  const writer = new Writer(table);
  const entries = Object.entries(table).map(([call, { params, ...rest }]) => {
    const fields = Object.entries(rest).map(([key, value]) => `    ${key}: ${writer.write(key, value)},\n`);
    const declared = Object.entries(params).map(
      ([name, param]) => `      ${keyText(name)}: ${writer.write(name, param)},\n`,
    );
    const body = declared.length === 0 ? "{}" : `{\n${declared.join("")}    }`;
    return `  ${keyText(call)}: {\n${fields.join("")}    params: ${body},\n  },\n`;
  });
  return { constants: writer.constants.join(""), entries: entries.join("") };
}

const keyText = (name: string): string => (/^[a-z]\w*$/i.test(name) ? name : JSON.stringify(name));

/** Writes values as literals, those that come again as names of constants. */
class Writer {
  readonly constants: string[] = [];
  readonly #times = new Map<string, number>();
  readonly #names = new Map<string, string>();

  constructor(table: EndpointTable) {
    this.#count(table);
  }

  write(name: string, value: unknown): string {
    if (typeof value !== "object" || value === null) return literal(value);
    const known = this.#names.get(literal(value));
    if (known !== undefined) return known;
    const body = Array.isArray(value)
      ? literal(value)
      : `{ ${Object.entries(value)
          .map(([key, each]) => `${keyText(key)}: ${this.write(key === "properties" ? name : key, each)}`)
          .join(", ")} }`;
    return this.#isShared(value) ? this.#declare(name, value, body) : body;
  }

  #declare(name: string, value: object, body: string): string {
    const word = name.replace(/\W+/g, "_").replace(/_$/, "");
    const taken = new Set(this.#names.values());
    let free = `$${word}`;
    for (let n = 2; taken.has(free); n += 1) free = `$${word}${n}`;
    this.#names.set(literal(value), free);
    this.constants.push(`const ${free} = ${body} as const;\n`);
    return free;
  }

  #isShared(value: object): boolean {
    const text = literal(value);
    return text.length > longest && (this.#times.get(text) ?? 0) > 1;
  }

  #count(value: unknown): void {
    if (typeof value !== "object" || value === null) return;
    const text = literal(value);
    this.#times.set(text, (this.#times.get(text) ?? 0) + 1);
    // What stands inside something that comes again comes with it.
    if (this.#times.get(text) === 1) for (const each of Object.values(value)) this.#count(each);
  }
}

function literal(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value) ?? "undefined";
  const fields = Object.entries(value).map(([key, each]) => `${keyText(key)}: ${literal(each)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`;
}
