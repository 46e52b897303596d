import type { Command, Option } from "commander";
import { buildProgram } from "../src/cli/program.ts";

const intro = `# The commands

<!-- Made by scripts/generate-docs.ts from src/cli/program.ts. Change the commands, then run "npm run docs". -->

What stands in \`<angle brackets>\` is needed, what stands in \`[square brackets]\` may be left out, and \`...\` takes several. A
\`[cluster]\` that is left out means every cluster of the file. \`slipway COMMAND --help\` says the same in the terminal.

| exit code | means |
|---|---|
| 0 | done |
| 1 | failed |
| 2 | the request or the cluster file is wrong, or part of it is refused |
| 3 | \`plan --exit-code\` found changes; \`up\` left some for the window of the file |
| 130 | interrupted |
`;

/** The reference page of the program: every command, its arguments, its options, an example. */
export function commandsPage(): string {
  const program = buildProgram(
    () => {
      throw new Error("nothing is run here");
    },
    () => {},
  );
  const commands = program.commands.flatMap(withThoseBelow).filter(isRun);
  const shared = sharedOptions(commands);
  const overview = commands.map(
    (command) => `| [\`${nameOf(command)}\`](#${anchorOf(command)}) | ${cellText(command.description())} |`,
  );
  return [
    intro,
    "| command | does |\n|---|---|",
    ...overview,
    "",
    sharedSection(commands, shared),
    ...commands.map((command) => section(command, shared)),
  ].join("\n");
}

const withThoseBelow = (command: Command): Command[] => [
  command,
  ...command.commands.flatMap(withThoseBelow),
];

/** `talos gen config`: all but the program's own name. */
const nameOf = (command: Command): string =>
  command.parent?.parent ? `${nameOf(command.parent)} ${command.name()}` : command.name();

const anchorOf = (command: Command): string => nameOf(command).replaceAll(" ", "-");

/** A command that only holds others is not run by itself. */
const isRun = (command: Command): boolean => command.options.length > 0;

const sameOption = (one: Option, other: Option): boolean =>
  one.flags === other.flags && one.description === other.description;

/** What at least half of the commands take in the same words is told once. */
function sharedOptions(commands: Command[]): Option[] {
  const all = commands.flatMap(({ options }) => options);
  return all.filter((option, index) => {
    const same = all.filter((other) => sameOption(option, other));
    return same[0] === all[index] && same.length * 2 > commands.length;
  });
}

function sharedSection(commands: Command[], shared: Option[]): string {
  const rows = shared.map((option) => {
    const without = commands
      .filter(({ options }) => !options.some(({ long }) => long === option.long))
      .map((command) => `\`${nameOf(command)}\``);
    const taken = without.length === 0 ? "every command" : `all but ${without.join(", ")}`;
    return `${optionRow(option)} ${taken} |`;
  });
  const head = "| option | does | default | taken by |\n|---|---|---|---|";
  return ["## Options of most commands\n", head, ...rows, ""].join("\n");
}

function section(command: Command, shared: Option[]): string {
  const own = command.options.filter((option) => !shared.some((each) => sameOption(option, each)));
  const table = ["| option | does | default |\n|---|---|---|", ...own.map(optionRow), ""];
  return [
    `## ${nameOf(command)}\n`,
    `${sentence(command.description())}\n`,
    `\`\`\`sh\n${["slipway", nameOf(command), ...argumentsOf(command)].join(" ")}\n\`\`\`\n`,
    ...(own.length > 0 ? table : []),
    `For example: \`${exampleOf(command)}\`\n`,
  ].join("\n");
}

/** `<node> [command...]`: what commander shows behind the options. */
const argumentsOf = (command: Command): string[] =>
  command.registeredArguments.map((argument) => {
    const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
    return argument.required ? `<${name}>` : `[${name}]`;
  });

const optionRow = ({ flags, description, argChoices, defaultValue }: Option): string => {
  const choices = argChoices ? `: ${argChoices.map((choice) => `\`${choice}\``).join(", ")}` : "";
  const isTold = defaultValue !== undefined && typeof defaultValue !== "boolean";
  const usual = isTold ? `\`${String(defaultValue)}\`` : "";
  return `| \`${cellText(flags)}\` | ${cellText(description)}${choices} | ${usual} |`;
};

const cellText = (text: string): string => text.replaceAll("|", "\\|");

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

/** It stands below the options in the help, where commander keeps it for itself. */
function exampleOf(command: Command): string {
  let help = "";
  command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
  const [, example] = /Example:\n {2}\$ (.*)/.exec(help) ?? [];
  if (example === undefined) throw new Error(`"${nameOf(command)}" has no example`);
  return example;
}
