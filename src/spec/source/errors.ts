import { defineError } from "../../errors/index.ts";
import type { Problem } from "./problem.ts";

/** The problems of a cluster file as one error, for callers that do not show them one by one. */
export const problemsError = defineError("SPEC_INVALID", (problems: readonly Problem[]) => {
  const first = problems[0];
  const file = first?.position.file ?? "the cluster file";
  const others = problems.length - 1;
  return {
    what: `Cannot use ${file}`,
    why: `${first?.what ?? "it has problems"}${others > 0 ? `, and ${others} more ${others === 1 ? "problem" : "problems"}` : ""}`,
    next:
      others > 0
        ? `Run "slipway validate -f ${file}" to see all ${problems.length} problems`
        : (first?.next ?? `Run "slipway validate -f ${file}"`),
    at: first?.position,
  };
});
