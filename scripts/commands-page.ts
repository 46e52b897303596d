import type { Command, Option } from "commander";
import {
  argumentsOf,
  defaultOf,
  exampleOf,
  exitCodes,
  nameOf,
  runCommands,
  sentence,
} from "./command-table.ts";

const intro = `# The commands

<!-- Made by scripts/generate-docs.ts from src/cli/program.ts. Change the commands, then run "npm run docs". -->

What stands in \`<angle brackets>\` is needed, what stands in \`[square brackets]\` may be left out, and \`...\` takes several. A
\`[cluster]\` that is left out means every cluster of the file. \`slipway COMMAND --help\` says the same in the terminal.

| exit code | means |
|---|---|
${exitCodes.map(([code, means]) => `| ${code} | ${means} |\n`).join("")}`;

/** The reference page of the program: every command, its arguments, its options, an example. */
export function commandsPage(): string {
  const commands = runCommands();
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

const anchorOf = (command: Command): string => nameOf(command).replaceAll(" ", "-");

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

const optionRow = (option: Option): string => {
  const { flags, description, argChoices } = option;
  const choices = argChoices ? `: ${argChoices.map((choice) => `\`${choice}\``).join(", ")}` : "";
  const usual = defaultOf(option);
  return `| \`${cellText(flags)}\` | ${cellText(description)}${choices} | ${usual === undefined ? "" : `\`${usual}\``} |`;
};

const cellText = (text: string): string => text.replaceAll("|", "\\|");
