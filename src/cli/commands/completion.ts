import tab from "@bomb.sh/tab/commander";
import type { Command } from "commander";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";

/** Prints the script a shell sources; the script asks `slipway complete -- WORDS` while somebody types. */
export const run = (
  _shell: Shell,
  _options: CommonOptions,
  words: string[],
  program: Command,
): Promise<number> => complete(program, words);

export async function complete(program: Command, words: string[]): Promise<number> {
  tab(program);
  await program.parseAsync(["complete", ...words], { from: "user" });
  return 0;
}
