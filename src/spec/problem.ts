import { type Position, SlipwayError } from "../errors/index.ts";
import { printableText } from "./printable.ts";

/** What is wrong and what to do about it, before anybody knows where it stands. */
export interface Fault {
  /** Permanent and searchable, e.g. `SPEC_BAD_QUANTITY`. */
  code: string;
  what: string;
  next: string;
  /** The text at that place may be a secret: it is never shown. */
  isSecret?: boolean;
}

/** One mistake in a cluster file, with its place. */
export interface Problem extends Fault {
  position: Position;
}

/** A cluster file as it was read. */
export interface SourceFile {
  /** As the user gave it; messages name it. */
  file: string;
  text: string;
}

/** Problems fit to be shown, each once. Syntax first, since it may cause the rest; then the file's version; then as they stand in the files. */
export function sortProblems(problems: readonly Problem[], files: readonly string[]): Problem[] {
  const order = new Map(files.map((file, index) => [file, index]));
  const rank = (problem: Problem): number =>
    problem.code === "SPEC_SYNTAX" ? 0 : problem.code === "SPEC_FILE_VERSION" ? 1 : 2;
  const fileOrder = (problem: Problem): number => order.get(problem.position.file) ?? files.length;
  const clean = problems.map((problem) => ({
    ...problem,
    what: printableText(problem.what),
    next: printableText(problem.next),
  }));
  const sorted = clean.toSorted(
    (a, b) =>
      rank(a) - rank(b) ||
      fileOrder(a) - fileOrder(b) ||
      a.position.line - b.position.line ||
      a.position.column - b.position.column,
  );
  const seen = new Set<string>();
  return sorted.filter((problem) => {
    const { file, line, column } = problem.position;
    const key = `${file}:${line}:${column}:${problem.code}:${problem.what}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The problems of a cluster file as one error, for callers that do not show them one by one. */
export function problemsError(problems: readonly Problem[]): SlipwayError {
  const first = problems[0];
  const file = first?.position.file ?? "the cluster file";
  const others = problems.length - 1;
  return new SlipwayError({
    code: "SPEC_INVALID",
    what: `Cannot use ${file}`,
    why: `${first?.what ?? "it has problems"}${others > 0 ? `, and ${others} more ${others === 1 ? "problem" : "problems"}` : ""}`,
    next:
      others > 0
        ? `Run "slipway validate -f ${file}" to see all ${problems.length} problems`
        : (first?.next ?? `Run "slipway validate -f ${file}"`),
    ...(first && { at: first.position }),
  });
}
