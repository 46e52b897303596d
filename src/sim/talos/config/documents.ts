import { LineCounter, parseAllDocuments, stringify, type YAMLParseError } from "yaml";
import { isFields, textAt, type Fields } from "./fields.ts";
import { knownKinds, unknownDocumentKeys, unknownMainKeys, type KeyPath } from "./keys.ts";
import { ConfigProblems } from "./problems.ts";

/** The documents of a config, one after the other: the first that a node of Talos 1.`minor` does not understand ends it. */
export function readDocuments(text: string, minor: number): Fields[] {
  const lineCounter = new LineCounter();
  const found: Fields[] = [];
  const kinds = knownKinds(minor);
  for (const document of parseAllDocuments(text, { lineCounter })) {
    const [problem] = document.errors;
    if (problem !== undefined) throw new ConfigProblems(`decode error: yaml: ${parserText(problem)}`);
    const value: unknown = document.toJS();
    if (value === null) continue;
    const { line } = lineCounter.linePos(document.contents?.range?.[0] ?? 0);
    if (!isFields(value)) throw new ConfigProblems(`expected a YAML document at line ${line}`);
    const trouble = decodeTrouble(value, kinds, minor);
    if (trouble !== undefined) {
      throw new ConfigProblems(`error decoding document ${idOf(value)} (line ${line}): ${trouble}`);
    }
    found.push(value);
  }
  if (found.length === 0) throw new ConfigProblems("config not found");
  return found;
}

const idOf = (document: Fields): string =>
  [textAt(document, "apiVersion"), textAt(document, "kind") || "v1alpha1", textAt(document, "name")].join(
    "/",
  );

function decodeTrouble(document: Fields, kinds: Set<string>, minor: number): string | undefined {
  const kind = textAt(document, "kind");
  if (document["kind"] !== undefined && !kinds.has(kind)) return `"${kind}" "v1alpha1": not registered`;
  const unknown =
    document["kind"] === undefined
      ? unknownMainKeys(document, minor)
      : unknownDocumentKeys(document, minor).map((key): KeyPath => [key]);
  if (unknown.length === 0) return undefined;
  const block = stringify(pick(document, unknown), { indent: 4, lineWidth: 0 });
  return `unknown keys found during decoding:\n${block}`;
}

/** Only what stands at these paths, each where it stood. */
function pick(value: unknown, paths: KeyPath[]): unknown {
  if (paths.some((path) => path.length === 0)) return value;
  const keys = [...new Set(paths.map(([key]) => key))];
  const below = (key: string | number | undefined) =>
    paths.filter(([first]) => first === key).map((path) => path.slice(1));
  if (Array.isArray(value)) return keys.map((key) => pick(value[Number(key)], below(key)));
  return Object.fromEntries(keys.map((key) => [key, pick((value as Fields)[String(key)], below(key))]));
}

/** A bracket that is never closed is told as the node's parser does; other mistakes in the words of ours. */
function parserText(problem: YAMLParseError): string {
  const line = problem.linePos?.[0].line ?? 1;
  const [, kind] = /flow (sequence|map)/i.exec(problem.message) ?? [];
  if (kind === undefined) return `line ${line}: ${problem.message.split("\n")[0] ?? ""}`;
  const [name, end] = kind.toLowerCase() === "map" ? ["mapping", "}"] : ["sequence", "]"];
  return `while parsing a flow ${name} at <unknown position>: line ${line}: did not find expected ',' or '${end}'`;
}
