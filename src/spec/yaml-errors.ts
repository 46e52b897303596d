import type { YAMLError } from "yaml";
import type { Fault } from "./problem.ts";

/** What the YAML reader complains about, in words for somebody who does not know its terms. */
export function explainYamlError(error: YAMLError, text: string): Fault {
  const [what, next] = explain(error, text);
  return { code: "SPEC_SYNTAX", what, next };
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
