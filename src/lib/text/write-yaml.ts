/** Data that YAML can hold. */
export type YamlValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly YamlValue[]
  | { readonly [key: string]: YamlValue };

/**
 * YAML as the Go programs around Kubernetes write it, byte for byte: people diff such files, and ids are hashed from them.
 * Keys stay in their order; keys whose value is undefined are left out.
 */
export function writeYaml(value: YamlValue, indent = 4): string {
  const lines: string[] = [];
  writeNode(value, { lines, indent }, "", 0, false);
  return `${lines.join("\n")}\n`;
}

interface Target {
  lines: string[];
  indent: number;
}

/** `lead` is what already stands on the line: indentation with a dash, or a key with its colon. */
function writeNode(value: YamlValue, to: Target, lead: string, column: number, isItem: boolean): void {
  if (Array.isArray(value)) {
    writeList(value as readonly YamlValue[], to, lead, column, isItem);
  } else if (typeof value === "object" && value !== null) {
    writeMap(value as Record<string, YamlValue>, to, lead, column, isItem);
  } else {
    to.lines.push(joined(lead, scalar(value, deeper(to, column, isItem))));
  }
}

function writeList(
  list: readonly YamlValue[],
  to: Target,
  lead: string,
  column: number,
  isItem: boolean,
): void {
  if (list.length === 0) {
    to.lines.push(joined(lead, "[]"));
    return;
  }
  const inner = isItem ? column + 2 : column;
  let first = isItem ? `${lead} ` : undefined;
  if (!isItem && lead !== "") to.lines.push(lead);
  for (const item of list) {
    writeNode(item ?? null, to, first === undefined ? `${" ".repeat(inner)}-` : `${first}-`, inner, true);
    first = undefined;
  }
}

function writeMap(
  map: Record<string, YamlValue>,
  to: Target,
  lead: string,
  column: number,
  isItem: boolean,
): void {
  const entries = Object.entries(map).filter(([, value]) => value !== undefined);
  if (entries.length === 0) {
    to.lines.push(joined(lead, "{}"));
    return;
  }
  const inner = isItem ? column + 2 : column;
  let first = isItem ? `${lead} ` : undefined;
  if (!isItem && lead !== "") to.lines.push(lead);
  for (const [key, value] of entries) {
    const start = first ?? " ".repeat(inner);
    first = undefined;
    const isCollection = typeof value === "object" && value !== null;
    const next = isCollection ? nextStop(to.indent, inner) : inner;
    writeNode(value, to, `${start}${keyText(key)}:`, next, false);
  }
}

/** Inside a list item text steps past the dash; everything else goes to the next multiple of the indentation. */
const nextStop = (indent: number, column: number): number => indent * Math.floor((column + indent) / indent);

const deeper = (to: Target, column: number, isItem: boolean): { text: string; indent: number } => ({
  text: " ".repeat(isItem ? column + 2 : nextStop(to.indent, column)),
  indent: to.indent,
});

const joined = (lead: string, text: string): string => (lead === "" ? text : `${lead} ${text}`);

const keyText = (key: string): string =>
  key.includes("\n") || !canBePlain(key) ? doubleQuoted(key) : plainOrQuoted(key);

function scalar(
  value: string | number | boolean | null | undefined,
  block: { text: string; indent: number },
): string {
  if (value === null || value === undefined) return "null";
  if (typeof value !== "string") return String(value);
  if (value.includes("\n")) return canBeLiteral(value) ? literal(value, block) : doubleQuoted(value);
  return canBePlain(value) ? plainOrQuoted(value) : doubleQuoted(value);
}

function literal(text: string, block: { text: string; indent: number }): string {
  const hint = /^[ \n]/.test(text) ? String(block.indent) : "";
  const chomp = text.endsWith("\n\n") || text === "\n" ? "+" : text.endsWith("\n") ? "" : "-";
  const body = text.endsWith("\n") ? text.slice(0, -1) : text;
  const lines = body.split("\n").map((line) => (line === "" ? "" : block.text + line));
  return [`|${hint}${chomp}`, ...lines].join("\n");
}

const canBeLiteral = (text: string): boolean => !/ $| \n/.test(text) && !hasSpecial(text);

// oxlint-disable-next-line no-control-regex
const hasSpecial = (text: string): boolean => /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\ufeff]/.test(text);

/** Plain text where YAML allows it, else in single quotes, else in double ones. */
function plainOrQuoted(text: string): string {
  if (text.includes("\t") || hasSpecial(text)) return doubleQuoted(text);
  const isPlain =
    !/^ | $/.test(text) &&
    !/^(---|\.\.\.)/.test(text) &&
    !/^[#,[\]{}&*!|>'"%@`]/.test(text) &&
    !/^[?:-]( |$)/.test(text) &&
    !/:( |$)| #/.test(text);
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`;
}

const otherTypes = [
  /^$/,
  /^(~|null|Null|NULL|true|True|TRUE|false|False|FALSE|<<)$/,
  /^(y|Y|yes|Yes|YES|on|On|ON|n|N|no|No|NO|off|Off|OFF)$/,
  /^[-+]?\.(inf|Inf|INF)$|^\.(nan|NaN|NAN)$/,
  /^[-+]?(0x[0-9a-fA-F_]+|0b[01_]+|0o?[0-7_]+)$/,
  /^[-+]?[0-9][0-9_]*$/,
  /^[-+]?(\.[0-9_]+|[0-9][0-9_]*(\.[0-9_]*)?)([eE][-+]?[0-9]+)?$/,
  /^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/,
  /^\d{4}-\d{1,2}-\d{1,2}([Tt ]\d{1,2}:\d{1,2}:\d{1,2}(\.\d+)?(Z|[-+]\d{2}:\d{2})?)?$/,
];

/** False for strings that would be read back as another type. */
function canBePlain(text: string): boolean {
  const first = text.charCodeAt(0);
  const isWord = (first >= 97 && first <= 122) || (first >= 65 && first <= 90);
  if (isWord && text.length > 5) return true;
  return !otherTypes.some((pattern) => pattern.test(text));
}

function doubleQuoted(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\ufeff]/g,
    (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
