import { endpoints, type Call, type Param, type ParamTable } from "../src/clients/proxmox/index.ts";

const head = `// Made by scripts/generate-types.ts from ./endpoints.ts: run "npm run docs" after changing it.
`;

/** Parameters that have a name of their own in the library, besides those of their path. What is undefined is not sent. */
const named = {
  "POST /nodes/{node}/qemu": "NewMachine",
  "POST /nodes/{node}/qemu/{vmid}/config": "MachineChange",
  "POST /nodes/{node}/qemu/{vmid}/clone": "NewClone",
} as const satisfies Partial<Record<Call, string>>;

/** Names of disks and the like are no choice that a type is to hold. */
const mostChoices = 50;

/** The parameters that other programs may name. They stand apart: what they are declared with is shipped. */
export const proxmoxParamsType = (): string =>
  [head, ...Object.entries(named).map(([call, name]) => namedType(call as keyof typeof named, name))].join(
    "\n",
  );

/** The parameters of all calls, as an interface: inferred from the table they would be slow to check. */
export function proxmoxCallsType(): string {
  const calls = Object.keys(endpoints) as Call[];
  return [
    `${head}import type { ${Object.values(named).toSorted().join(", ")} } from "./params.ts";\n`,
    "/** What every call takes: in its path, its query and its body. */",
    "export interface CallParams {",
    ...calls.map((call) => `  ${JSON.stringify(call)}: ${callType(call)};`),
    "}\n",
  ].join("\n");
}

function namedType(call: keyof typeof named, name: string): string {
  const lines = fieldsOf(call, (field) => !isInPath(call, field)).map((field) => `  ${field};\n`);
  return `/** What \`${call}\` takes besides its path. */\nexport interface ${name} {\n${lines.join("")}}\n`;
}

function callType(call: Call): string {
  const inPath = fieldsOf(call, (field) => isInPath(call, field));
  if (call in named) return `{ ${inPath.join("; ")} } & ${named[call as keyof typeof named]}`;
  const fields = [...inPath, ...fieldsOf(call, (field) => !isInPath(call, field))];
  if (fields.length === 0) return "Record<never, never>";
  const text = fields.join("; ");
  return text.length < 100 ? `{ ${text} }` : `{\n${fields.map((field) => `    ${field};\n`).join("")}  }`;
}

const isInPath = (call: Call, field: string): boolean => call.includes(`{${field}}`);

const fieldsOf = (call: Call, isWanted: (field: string) => boolean): string[] =>
  Object.entries<Param>(endpoints[call].params satisfies ParamTable)
    .filter(([field]) => isWanted(field))
    .map(([field, param]) => {
      const isNumbered = field.endsWith("[n]");
      const isRequired = param.required === true && param.forType === undefined;
      const key = isNumbered ? `[name: \`${field.slice(0, -3)}\${number}\`]` : keyText(field);
      const mark = isRequired || isNumbered ? "" : "?";
      const mayBeUndefined = isNumbered || (call in named && !isRequired);
      return `${key}${mark}: ${valueType(param)}${mayBeUndefined ? " | undefined" : ""}`;
    });

const valueType = ({ type, enum: choices }: Param): string =>
  type === "integer" || type === "number"
    ? "number"
    : type === "string" && choices && choices.length < mostChoices
      ? choices.map((choice) => JSON.stringify(choice)).join(" | ")
      : type;

const keyText = (name: string): string => (/^\w+$/.test(name) ? name : JSON.stringify(name));
