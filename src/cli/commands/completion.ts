import tab from "@bomb.sh/tab/commander";
import { buildProgram } from "../program.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";

/** Prints the script a shell sources; the script asks `slipway complete -- WORDS` while somebody types. */
export async function run(_shell: Shell, _options: CommonOptions, words: string[]): Promise<number> {
  return complete(words);
}

export async function complete(words: string[]): Promise<number> {
  const program = buildProgram(
    () => {
      throw new Error("completion runs no command");
    },
    () => {},
  );
  tab(program);
  await program.parseAsync(["complete", ...words], { from: "user" });
  return 0;
}
