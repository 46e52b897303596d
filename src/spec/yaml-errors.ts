import type { YAMLError } from "yaml";
import type { Fault } from "./problem.ts";

/** What the YAML reader complains about, in words for somebody who does not know its terms. */
export function explainYamlError(error: YAMLError, text: string): Fault {
  const [what, next] = explain(error, text);
  return { code: "SPEC_SYNTAX", what, next };
}

function explain(error: YAMLError, text: string): [what: string, next: string] {
  switch (error.code) {
    case "TAB_AS_INDENT":
      return [
        "A tab stands where spaces are needed",
        "Replace the tab by spaces; most editors can do so on saving",
      ];
    case "BAD_INDENT":
      return [
        "This line does not line up with its neighbours",
        "Give fields of one map the same number of spaces",
      ];
    case "MISSING_CHAR":
      return explainMissing(error);
    case "MULTIPLE_DOCS":
      return ['"---" starts a second document', "Write each document as a file of its own in one folder"];
    case "BAD_ALIAS":
      return [
        "This alias points to nothing",
        "Set its anchor (&name) before it is used, or write the value here",
      ];
    case "BAD_DQ_ESCAPE":
      return [
        "A backslash in double quotes starts no known escape",
        "Use single quotes, or write \\\\ for one backslash",
      ];
    case "TAG_RESOLVE_FAILED":
      return ["A tag (!…) is not known here", "Remove the tag; write the value itself"];
    case "BLOCK_AS_IMPLICIT_KEY":
    case "MULTILINE_IMPLICIT_KEY":
      return [
        "Two fields or values stand where one is needed",
        "Begin each field on a line of its own, with one colon",
      ];
    case "BAD_SCALAR_START":
      return [
        `A value cannot start with ${text.slice(error.pos[0], error.pos[0] + 1)}`,
        'Put the value in quotes, like "@name"',
      ];
    case "BLOCK_IN_FLOW":
      return [
        "A list or map over several lines stands inside brackets",
        "Close the bracket before it, or use brackets for all of it",
      ];
    default:
      return ["This is not YAML", "Look for a missing colon, quote or bracket here or in the line above"];
  }
}

function explainMissing(error: YAMLError): [what: string, next: string] {
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
