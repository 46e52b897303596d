import type { TerraformBlock, TerraformValue } from "../plan/index.ts";

/** A file for Terraform, in the form that `terraform fmt` gives it. */
export const terraformText = (head: readonly string[], blocks: readonly TerraformBlock[]): string =>
  `${[head.map(comment).join("\n"), ...blocks.map((block) => blockLines(block).join("\n"))].join("\n\n")}\n`;

const comment = (line: string): string => (line === "" ? "#" : `# ${line}`);

function blockLines({
  type,
  labels = [],
  comments = [],
  attributes = {},
  blocks = [],
}: TerraformBlock): string[] {
  const opening = [type, ...labels.map((label) => JSON.stringify(label))].join(" ");
  const said = attributeLines(attributes);
  const inner = blocks.flatMap((block, index) => [
    ...(index > 0 || said.length > 0 ? [""] : []),
    ...blockLines(block),
  ]);
  const body = [...said, ...inner].map((line) => (line === "" ? "" : `  ${line}`));
  return [
    ...comments.map(comment),
    ...(body.length === 0 ? [`${opening} {}`] : [`${opening} {`, ...body, "}"]),
  ];
}

/** Their signs of equality stand below each other. */
function attributeLines(attributes: Readonly<Record<string, TerraformValue | undefined>>): string[] {
  const said = Object.entries(attributes).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, valueText(value)] as const],
  );
  const width = Math.max(0, ...said.map(([name]) => name.length));
  return said.map(([name, text]) => `${name.padEnd(width)} = ${text}`);
}

function valueText(value: TerraformValue): string {
  if (typeof value === "string") return quoted(value);
  if (typeof value !== "object") return String(value);
  if ("expression" in value) return value.expression;
  return `[${value.map(valueText).join(", ")}]`;
}

/** `${` and `%{` begin a template there. */
const quoted = (text: string): string =>
  JSON.stringify(text)
    .replaceAll("${", () => "$${")
    .replaceAll("%{", () => "%%{");
