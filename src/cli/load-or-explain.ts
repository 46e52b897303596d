import { loadFleet } from "../operations/index.ts";
import { formatProblems, type Fleet } from "../spec/index.ts";
import type { CommonOptions } from "./options.ts";
import type { Shell } from "./shell.ts";

/** The fleet of the file, or undefined after every problem in it has been shown. */
export async function loadOrExplain(shell: Shell, options: CommonOptions): Promise<Fleet | undefined> {
  const loaded = await loadFleet(options.file);
  if ("fleet" in loaded) return loaded.fleet;
  if (options.json) {
    for (const { code, position, what, next } of loaded.problems) {
      const { file, line, column, length = 1 } = position;
      shell.out.write(`${JSON.stringify({ v: 1, type: "problem", code, file, line, column, length, what, next })}\n`);
    }
  } else {
    shell.err.write(formatProblems(loaded.problems, loaded.sources, shell.err));
  }
  return undefined;
}
