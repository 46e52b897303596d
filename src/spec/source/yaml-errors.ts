import type { YAMLError } from "yaml";
import type { Fault } from "./problem.ts";

/** What the YAML reader complains about, in words for somebody who does not know its terms. */
export function explainYamlError(error: YAMLError, text: string): Fault {
  const [what, next] = explain(error, text);
  return { code: "SPEC_SYNTAX", what, next };
}

/** An open quote swallows the rest of the file, so nothing said about that is of use. */
export function mainErrors(errors: readonly YAMLError[]): readonly YAMLError[] {
  const openQuote = errors.find(isOpenQuote);
  return openQuote ? [openQuote] : errors;
}

const isOpenQuote = (error: YAMLError): boolean =>
  error.code === "MISSING_CHAR" && error.message.includes("quote");

/** Where a person has to look: the reader notices an open quote only at the end of the file, and starts lines at their first column. */
export function placeOfYamlError(error: YAMLError, text: string): [from: number, to: number] {
  const [from, to] = error.pos;
  if (isOpenQuote(error)) {
    const mark = error.message.includes("single") ? "'" : '"';
    let start = 0;
    for (const line of text.split("\n")) {
      if (line.split(mark).length % 2 === 0) return [start + line.lastIndexOf(mark), start + line.length];
      start += line.length + 1;
    }
  }
  if (error.code === "TAB_AS_INDENT") return [from, to];
  const indent = /^ */.exec(text.slice(from))?.[0].length ?? 0;
  return [from + indent, Math.max(to, from + indent + 1)];
}

type Words = [what: string, next: string];

const elsewise: Words = [
  "This is not YAML",
  "Look for a missing colon, quote or bracket here or in the line above",
];

const twoWhereOne: Words = [
  "Two fields or values stand where one is needed",
  "Begin each field on a line of its own, with one colon",
];

const words: Partial<Record<YAMLError["code"], Words>> = {
  TAB_AS_INDENT: [
    "A tab stands where spaces are needed",
    "Replace the tab by spaces; most editors can do so on saving",
  ],
  BAD_INDENT: [
    "This line does not line up with its neighbours",
    "Give fields of one map the same number of spaces",
  ],
  MULTIPLE_DOCS: ['"---" starts a second document', "Write each document as a file of its own in one folder"],
  BAD_ALIAS: [
    "This alias points to nothing",
    "Set its anchor (&name) before it is used, or write the value here",
  ],
  BAD_DQ_ESCAPE: [
    "A backslash in double quotes starts no known escape",
    "Use single quotes, or write \\\\ for one backslash",
  ],
  TAG_RESOLVE_FAILED: ["A tag (!…) is not known here", "Remove the tag; write the value itself"],
  BLOCK_AS_IMPLICIT_KEY: twoWhereOne,
  MULTILINE_IMPLICIT_KEY: twoWhereOne,
  BLOCK_IN_FLOW: [
    "A list or map over several lines stands inside brackets",
    "Close the bracket before it, or use brackets for all of it",
  ],
};

function explain(error: YAMLError, text: string): Words {
  if (error.code === "MISSING_CHAR") return explainMissing(error);
  if (error.code === "BAD_INDENT" && error.message.startsWith("Flow")) {
    return [
      "A bracket opened above is not closed",
      "Close it, or indent this line deeper than the field it belongs to",
    ];
  }
  if (error.code === "BAD_SCALAR_START") {
    return [
      `A value cannot start with ${text.slice(error.pos[0], error.pos[0] + 1)}`,
      "Put the value in quotes",
    ];
  }
  return words[error.code] ?? elsewise;
}

function explainMissing(error: YAMLError): Words {
  const message = error.message;
  if (message.includes("quote"))
    return ["A quote is opened and not closed", "Close the quote on the same line"];
  const bracket = /expected.*([\]}])/.exec(message)?.[1] ?? /with a ([\]}])/.exec(message)?.[1];
  if (bracket !== undefined) return ["A bracket is opened and not closed", `Add the missing ${bracket}`];
  if (message.includes(",")) return ["A comma is missing between two items", "Put a comma between the items"];
  return [
    "Something is missing here",
    "Look for a missing colon, comma, quote or bracket here or in the line above",
  ];
}
