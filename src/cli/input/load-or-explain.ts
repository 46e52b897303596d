import { loadFleet } from "../../operations/index.ts";
import type { Fleet, Problem } from "../../spec/index.ts";
import type { CommonOptions } from "../options.ts";
import type { Screen } from "../views/index.ts";
import type { Shell } from "../shell.ts";

/** How findings about a file look on a screen. */
export const formatFor = (screen: Screen) => ({
  width: screen.columns,
  color: screen.hasColor,
  ascii: !screen.isUnicode,
});

function writeProblem(shell: Shell, type: "problem" | "warning", problem: Problem): void {
  const { code, position, what, next } = problem;
  const { file, line, column, length = 1, path } = position;
  const place = line === undefined ? { path } : { line, column, length };
  shell.out.write(`${JSON.stringify({ v: 1, type, code, file, ...place, what, next })}\n`);
}

/**
 * The fleet of the file, or undefined after every problem in it has been shown. Warnings are for commands that are about what the
 * file says, `wantsWarnings`: who asks for a kubeconfig has read them there.
 */
export async function loadOrExplain(
  shell: Shell,
  options: CommonOptions,
  wantsWarnings = false,
): Promise<Fleet | undefined> {
  const loaded = await loadFleet(options.file);
  if ("fleet" in loaded) {
    const { warnings, sources } = loaded;
    if (!wantsWarnings) return loaded.fleet;
    if (options.json) for (const warning of warnings) writeProblem(shell, "warning", warning);
    else if (warnings.length > 0) {
      const { formatWarnings } = await import("./format-findings.ts");
      shell.err.write(`${formatWarnings(warnings, sources, formatFor(shell.err))}\n`);
    }
    return loaded.fleet;
  }
  if (options.json) {
    for (const problem of loaded.problems) writeProblem(shell, "problem", problem);
  } else {
    const { formatProblems } = await import("./format-findings.ts");
    shell.err.write(`${formatProblems(loaded.problems, loaded.sources, formatFor(shell.err))}\n`);
  }
  return undefined;
}
