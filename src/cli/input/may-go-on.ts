import { noTerminal } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";

/** Asked unless `--yes` was said; where nobody can answer, `why` somebody would have to. */
export async function mayGoOn(shell: Shell, { yes }: CommonOptions, why: string): Promise<boolean> {
  if (yes) return true;
  if (!shell.canAsk) throw noTerminal(why);
  return isYes(await shell.ask("Go on? [y/N] "));
}

export const isYes = (answer: string): boolean => /^y(es)?$/i.test(answer.trim());
