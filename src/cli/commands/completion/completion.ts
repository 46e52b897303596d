import type { Command } from "commander";
import { unknownShell } from "../../errors.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { candidates } from "./candidates.ts";
import { scripts, shells } from "./scripts.ts";

/** Prints the script a shell sources; the script asks `slipway complete -- WORDS` while somebody types. */
export async function run(shell: Shell, _options: CommonOptions, [wanted = ""]: string[]): Promise<number> {
  const script = scripts[wanted];
  if (script === undefined) throw unknownShell(wanted, shells);
  shell.out.write(script);
  return 0;
}

/** One line for each word that may stand where somebody types: the word, a tab, what it is. */
export async function complete(program: Command, shell: Shell, words: string[]): Promise<number> {
  const typed = words[0] === "--" ? words.slice(1) : words;
  const found = await candidates(program, typed);
  shell.out.write(found.map(({ word, about }) => `${word}\t${about}\n`).join(""));
  return 0;
}
