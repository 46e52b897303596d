import { readFile } from "node:fs/promises";
import { describeCause, errorData, SlipwayError } from "../../errors/index.ts";
import { inputUnreadable } from "../errors.ts";
import type { Shell } from "../shell.ts";

const wrongInput = 2;

export const readInput = (file: string): Promise<string> =>
  readFile(file, "utf8").catch((error: unknown) => {
    throw inputUnreadable(file, reasonOf(error), error);
  });

const reasonOf = (error: unknown): string =>
  (error as NodeJS.ErrnoException).code === "ENOENT" ? "there is no such file" : describeCause(error);

/** For commands that work on what they are given: whatever they refuse, the request is what must change, but for what is wrong outside of it. */
export async function refusingInput(
  shell: Shell,
  work: () => Promise<void>,
  isOutside = (code: string): boolean => code.endsWith("_NOT_WRITTEN"),
): Promise<number> {
  try {
    await work();
    return 0;
  } catch (thrown) {
    if (!(thrown instanceof SlipwayError) || isOutside(thrown.code)) throw thrown;
    const { renderError } = await import("../views/index.ts");
    const error = errorData(thrown);
    shell.err.write(renderError(error, {}, shell.err));
    shell.lines.fail(error);
    return wrongInput;
  }
}
