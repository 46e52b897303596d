import type { Command } from "commander";
import { buildProgram } from "../../src/cli/program.ts";

/** Every command of the program that takes `--json`, as it is typed: `backup list`. */
export const jsonCommands = (): string[] =>
  commandsBelow(wholeProgram(), []).flatMap(({ name, command }) => (takesJson(command) ? [name] : []));

/** Every command that does something by itself. */
export const allCommands = (): string[] =>
  commandsBelow(wholeProgram(), []).flatMap(({ name, command }) => (isGroup(command) ? [] : [name]));

/** Which command these arguments call: `backup list` of `backup list lab --json`. */
export function commandOf(args: readonly string[]): string {
  const names: string[] = [];
  let command: Command | undefined = wholeProgram();
  for (const word of args) {
    command = command.commands.find((each) => each.name() === word);
    if (!command) break;
    names.push(word);
  }
  return names.join(" ");
}

const takesJson = (command: Command): boolean => command.options.some(({ long }) => long === "--json");

/** `snapshot` takes one by itself, `proxmox` only lists what is below it. */
const isGroup = (command: Command): boolean => command.commands.length > 0 && command.options.length === 0;

/** Groups that only list others do nothing by themselves, and take no option. */
const commandsBelow = (parent: Command, before: string[]): { name: string; command: Command }[] =>
  parent.commands.flatMap((command) => {
    const path = [...before, command.name()];
    return [{ name: path.join(" "), command }, ...commandsBelow(command, path)];
  });

const wholeProgram = (): Command =>
  buildProgram(
    () => {
      throw new Error("nothing is run here");
    },
    () => {},
  );
