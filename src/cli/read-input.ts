import { readFile } from "node:fs/promises";
import { describeCause, errorData, SlipwayError } from "../errors/index.ts";
import { inputUnreadable } from "./errors.ts";
import type { Shell } from "./shell.ts";
import { renderError } from "./views/index.ts";

const wrongInput = 2;

export const readInput = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((error: unknown) => {
    throw inputUnreadable(file, reasonOf(error), error);
  });

const reasonOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : describeCause(error);

/** For commands that only read what they are given: whatever they refuse, the request is what must change. */
export async function refusingInput(shell: Shell, work: () => Promise<void>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || thrown.code === "RUN_OUTPUT_NOT_WRITTEN") throw thrown;
    shell.err.write(renderError(errorData(thrown), {}, shell.err));
    return wrongInput;
  }
}
