import { parseAllDocuments, type Document, type ScalarTag } from "yaml";
import { freeze } from "../../../../lib/index.ts";
import type { ConfigPatch } from "./config-patch.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import { patchNotYaml } from "../errors.ts";

/** A patch from its text; `source` is how messages name it. */
export const readPatch = (text: string, source: string): ConfigPatch => ({
  source,
  documents: readDocuments(text, source),
  text,
});

/** Documents that were read lately: nodes of a role share their largest, and YAML takes longer than all that is done with it. */
const readLately = new Map<string, MachineConfigDocument[]>();
const mostRead = 1_000;

/** The documents of a machine config or patch as data. */
export const readDocuments = (text: string, source: string): MachineConfigDocument[] =>
  viewDocuments(text, source).map((document) => structuredClone(document));

/** The same for who changes nothing of them: frozen, as whoever reads the same text gets the same ones. */
export const viewDocuments = (text: string, source: string): readonly MachineConfigDocument[] =>
  readApart(text) ?? parseDocuments(text, source);

/** Each document by itself. Undefined where it is not plain where one ends, and for a mistake, whose line counts from the top. */
function readApart(text: string): MachineConfigDocument[] | undefined {
  const parts = text.split(/^---\n/m);
  // A directive is of the document below it.
  if (/^%/m.test(text) || !parts.every((part) => /^[a-z]/i.test(part))) return undefined;
  const read = parts.map((part) => readLately.get(part) ?? parsePart(part));
  return read.every((documents) => documents !== undefined) ? read.flat() : undefined;
}

function parsePart(part: string): MachineConfigDocument[] | undefined {
  const parsed = parseYaml(part);
  if (parsed.some(({ errors }) => errors.length > 0)) return undefined;
  const documents = parsed.map(asData);
  if (readLately.size >= mostRead) readLately.clear();
  readLately.set(part, documents);
  return documents;
}

function parseDocuments(text: string, source: string): MachineConfigDocument[] {
  return parseYaml(text).map((document) => {
    const [error] = document.errors;
    if (error) throw patchNotYaml({ source, line: error.linePos?.[0].line, cause: error });
    return asData(document);
  });
}

const parseYaml = (text: string): Document.Parsed[] => [
  ...parseAllDocuments(text, { logLevel: "silent", customTags: (tags) => [oldOctal, ...tags] }),
];

const asData = (document: Document.Parsed): MachineConfigDocument =>
  freeze(document.toJS() as MachineConfigDocument);

/** Talos reads file permissions such as 0644 as octal; YAML 1.2 alone would read them as decimal. */
const oldOctal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^0[0-7]+$/,
  resolve: (digits) => Number.parseInt(digits, 8),
};
