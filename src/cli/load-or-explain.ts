import { loadFleet } from "../operations/index.ts";
import { formatProblems, formatWarnings, type Fleet } from "../spec/index.ts";
import type { CommonOptions } from "./options.ts";
import type { Screen } from "./views/index.ts";
import type { Shell } from "./shell.ts";

/** How findings about a file look on a screen. */
export const formatFor = (screen: Screen) => ({
  width: screen.columns,
  color: screen.hasColor,
  ascii: !screen.isUnicode,
});

/** The fleet of the file, or undefined after every problem in it has been shown. */
export async function loadOrExplain(shell: Shell, options: CommonOptions): Promise<Fleet | undefined> {
  const loaded = await loadFleet(options.file);
  if ("fleet" in loaded) {
    const { warnings, sources } = loaded;
    if (warnings.length > 0) shell.err.write(`${formatWarnings(warnings, sources, formatFor(shell.err))}\n`);
    return loaded.fleet;
  }
  if (options.json) {
    for (const { code, position, what, next } of loaded.problems) {
      const { file, line, column, length = 1 } = position;
      shell.out.write(
        `${JSON.stringify({ v: 1, type: "problem", code, file, line, column, length, what, next })}\n`,
      );
    }
  } else {
    shell.err.write(`${formatProblems(loaded.problems, loaded.sources, formatFor(shell.err))}\n`);
  }
  return undefined;
}
