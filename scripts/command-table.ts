import type { Command, Option } from "commander";
import { buildProgram } from "../src/cli/program.ts";

/** Every command of the program that can be run, groups left out: what the reference page and the manual are made from. */
export function runCommands(): Command[] {
  const program = buildProgram(
    () => {
      throw new Error("nothing is run here");
    },
    () => {},
  );
  return program.commands.flatMap(withThoseBelow).filter(isRun);
}

const withThoseBelow = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withThoseBelow),
];

/** A command that only holds others is not run by itself. */
const isRun = (command: Command): boolean => command.options.length > 0;

/** `talos gen config`: all but the program's own name. */
export const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

/** `<node> [command...]`: what commander shows behind the options. */
export const argumentsOf = (command: Command): string[] =>
  command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });

/** The default of an option where it is worth telling. */
export const defaultOf = ({ defaultValue }: Option): string | undefined =>
  defaultValue === undefined || typeof defaultValue === "boolean" ? undefined : String(defaultValue);

/** It stands below the options in the help, where commander keeps it for itself. */
export function exampleOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const [, example] = /Example:\n {2}\$ (.*)/.exec(help) ?? [];
  if (example === undefined) throw new Error(`"${nameOf(command)}" has no example`);
  return example;
}

export const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** What the program ends with. */
export const exitCodes = [
  ["0", "done"],
  ["1", "failed"],
  ["2", "the request or the cluster file is wrong, or part of it is refused"],
  ["3", "`plan --exit-code` found changes; `up` left some for the window of the file"],
  ["130", "interrupted"],
] as const;
