import { addons } from "../src/addons/index.ts";
import { fleetJsonSchema, type JsonSchema } from "../src/spec/index.ts";

const head = `// Made by scripts/generate-types.ts from the schema in src/spec/schema. Change the schema, then run "npm run docs".

`;

/** The cluster file as a TypeScript type, with the words of the schema: for files that are programs. */
export function fleetFileType(): string {
  const { definitions = {}, ...file } = fleetJsonSchema(addons);
  const parts = Object.entries(definitions).map(([name, part]) => field(name, part, true, "  "));
  return `${head}${comment(file.description, "")}export interface FleetFile ${typeOf(file, "")}

/** The parts of a cluster file by name, such as \`FleetParts["network"]\`. */
export interface FleetParts {
${parts.join("")}}
`;
}

function field(name: string, schema: JsonSchema, isRequired: boolean, indent: string): string {
  const key = /^\w+$/.test(name) ? name : JSON.stringify(name);
  const [mark, orNone] = isRequired ? ["", ""] : ["?", " | undefined"];
  return `${comment(schema.description, indent)}${indent}${key}${mark}: ${typeOf(schema, indent)}${orNone};\n`;
}

function typeOf(schema: JsonSchema, indent: string): string {
  if (schema.$ref !== undefined) return `FleetParts[${JSON.stringify(schema.$ref.split("/").at(-1))}]`;
  if (schema.allOf?.[0]) return typeOf(schema.allOf[0], indent);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
  if (schema.anyOf) {
    const own = schema.properties ? [objectType(schema, indent)] : [];
    return [...new Set([...own, ...schema.anyOf.map((each) => typeOf(each, indent))])].join(" | ");
  }
  return (
    [schema.type ?? []]
      .flat()
      .map((type) => simpleType(type, schema, indent))
      .join(" | ") || "unknown"
  );
}

function simpleType(type: string, schema: JsonSchema, indent: string): string {
  if (type === "object") return objectType(schema, indent);
  if (type === "array")
    return `readonly ${bracketed(schema.items ? typeOf(schema.items, indent) : "unknown")}[]`;
  return type === "integer" ? "number" : type;
}

function objectType({ properties, required = [], additionalProperties }: JsonSchema, indent: string): string {
  if (!properties) {
    const value = typeof additionalProperties === "object" ? typeOf(additionalProperties, indent) : "unknown";
    return `Readonly<Record<string, ${value}>>`;
  }
  const fields = Object.entries(properties).map(([name, each]) =>
    field(name, each, required.includes(name), `${indent}  `),
  );
  return `{\n${fields.join("")}${indent}}`;
}

const bracketed = (type: string): string => (/ \| |^readonly /.test(type) ? `(${type})` : type);

const comment = (text: string | undefined, indent: string): string =>
  text === undefined ? "" : `${indent}/** ${text.replaceAll("*/", "*\\/")} */\n`;
