import { loadFleet } from "../../operations/index.ts";
import type { Fleet, Problem } from "../../spec/index.ts";
import type { CommonOptions } from "../options.ts";
import type { Screen } from "../views/index.ts";
import type { Shell } from "../shell.ts";

/** Further out no eye finds the line that a code belongs to. */
const mostColumns = 120;

/** How findings about a file look on a screen. */
export const formatFor = (screen: Screen) => ({
  width: Math.min(screen.columns, mostColumns),
  color: screen.hasColor,
  ascii: !screen.isUnicode,
});

/** By its line, or by its path where a program wrote the file. */
function findingOf({ code, position, what, next }: Problem) {
  const { file, line, column, length = 1, path } = position;
  return { code, file, ...(line === undefined ? { path } : { line, column, length }), what, next };
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
    if (options.json)
      shell.lines.tell(...warnings.map((each) => ({ type: "warning" as const, ...findingOf(each) })));
    else if (warnings.length > 0) {
      const { formatWarnings } = await import("./format-findings.ts");
      shell.err.write(`${formatWarnings(warnings, sources, formatFor(shell.err))}\n`);
    }
    return loaded.fleet;
  }
  if (options.json) {
    shell.lines.tell(...loaded.problems.map((each) => ({ type: "problem" as const, ...findingOf(each) })));
  } else {
    const { formatProblems } = await import("./format-findings.ts");
    shell.err.write(`${formatProblems(loaded.problems, loaded.sources, formatFor(shell.err))}\n`);
  }
  return undefined;
}
