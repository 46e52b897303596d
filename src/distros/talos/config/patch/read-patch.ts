import { parseAllDocuments, type ScalarTag } from "yaml";
import type { ConfigPatch } from "./config-patch.ts";
import type { MachineConfigDocument } from "../config-document.ts";
import { patchNotYaml } from "../errors.ts";

/** A patch from its text; `source` is how messages name it. */
export const readPatch = (text: string, source: string): ConfigPatch => ({
  source,
  documents: readDocuments(text, source),
  text,
});

/** What was read lately: several steps read the config of one node, and YAML takes longer than all they do with it. */
const readLately = new Map<string, MachineConfigDocument[]>();
const mostRead = 128;

/** The documents of a machine config or patch as data. */
export function readDocuments(text: string, source: string): MachineConfigDocument[] {
  const known = readLately.get(text) ?? parseDocuments(text, source);
  if (readLately.size >= mostRead) readLately.clear();
  readLately.set(text, known);
  return structuredClone(known);
}

function parseDocuments(text: string, source: string): MachineConfigDocument[] {
  const parsed = parseAllDocuments(text, { logLevel: "silent", customTags: (tags) => [oldOctal, ...tags] });
  return parsed.map((document) => {
    const [error] = document.errors;
    if (error) throw patchNotYaml({ source, line: error.linePos?.[0].line, cause: error });
    return document.toJS() as MachineConfigDocument;
  });
}

/** Talos reads file permissions such as 0644 as octal; YAML 1.2 alone would read them as decimal. */
const oldOctal: ScalarTag = {
  tag: "tag:yaml.org,2002:int",
  default: true,
  test: /^0[0-7]+$/,
  resolve: (digits) => Number.parseInt(digits, 8),
};
