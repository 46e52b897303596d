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

const environment = [
  ["SLIPWAY_HELM", "the helm program to use, and no other"],
  ["SLIPWAY_ASCII", "draw with plain ASCII characters"],
  ["NO_COLOR, FORCE_COLOR", "without colours, or with them also where there is no terminal"],
  [
    "XDG_CACHE_HOME",
    "images, charts and programs that were fetched are kept in slipway/ below it; ~/.cache when not set",
  ],
  ["SOPS_AGE_KEY, SOPS_AGE_KEY_FILE", "the key of secrets that are encrypted at rest"],
] as const;

const files = [
  ["slipway.yaml", "the cluster file, unless --file names another"],
  [".slipway/", "beside it: secrets, access files and the journals of runs. Keep its secrets"],
] as const;

/** The manual by the names of its files: slipway.1 and a page for every command, from the table that help is made from. */
export function manPages(version: string, date: string): Record<string, string> {
  const commands = runCommands();
  const edition = { version, date };
  const pages = commands.map((command) => [`${pageOf(command)}.1`, commandPage(command, edition)]);
  return { "slipway.1": programPage(commands, edition), ...Object.fromEntries(pages) };
}

const pageOf = (command: Command): string => `slipway-${nameOf(command).replaceAll(" ", "-")}`;

function programPage(commands: Command[], edition: Edition): string {
  const list = commands.map((command) =>
    tagged(bold(pageOf(command)) + "(1)", sentence(command.description())),
  );
  return [
    title("slipway", edition),
    ".SH NAME",
    `slipway ${roff("-")} one file, running Kubernetes on your own hypervisors`,
    ".SH SYNOPSIS",
    `.B slipway\n.I command\n[${roff("options")}] [arguments]`,
    ".SH DESCRIPTION",
    roff(
      "Slipway makes the Kubernetes clusters of one file real on Proxmox VE, on libvirt and on machines that are there already. Without a command it tells what there is to do in this folder.",
    ),
    ".PP",
    roff("A cluster that is left out on the command line means every cluster of the file."),
    ".SH COMMANDS",
    ...list,
    ".SH OPTIONS",
    tagged(
      `${bold("-V")}, ${bold("--version")}`,
      "The version, and nothing else. slipway version tells more.",
    ),
    tagged(`${bold("-h")}, ${bold("--help")}`, "The commands, or the options of a command."),
    ".SH EXIT STATUS",
    ...exitCodes.map(([code, means]) => tagged(bold(code), sentence(means.replaceAll("`", "")))),
    ".SH ENVIRONMENT",
    ...environment.map(([name, does]) => tagged(bold(name), sentence(does))),
    ".SH FILES",
    ...files.map(([name, holds]) => tagged(`\\fI${roff(name)}\\fR`, sentence(holds))),
    "",
  ].join("\n");
}

function commandPage(command: Command, edition: Edition): string {
  return [
    title(pageOf(command), edition),
    ".SH NAME",
    `${roff(pageOf(command))} ${roff("-")} ${roff(command.description())}`,
    ".SH SYNOPSIS",
    [`.B slipway ${roff(nameOf(command))}`, "[options]", ...argumentsOf(command).map(roff)].join("\n"),
    ".SH DESCRIPTION",
    roff(sentence(command.description())),
    ".SH OPTIONS",
    ...command.options.map((option) => tagged(bold(option.flags), optionText(option))),
    ".SH EXAMPLE",
    `.nf\n${roff(exampleOf(command))}\n.fi`,
    ".SH SEE ALSO",
    ".BR slipway (1)",
    "",
  ].join("\n");
}

function optionText(option: Option): string {
  const choices = option.argChoices ? `: ${option.argChoices.join(", ")}` : "";
  const usual = defaultOf(option);
  const tail = usual === undefined ? "" : ` ${usual} when not given.`;
  return sentence(option.description + choices) + tail;
}

/** Whoever makes the pages of a commit again gets the same. */
interface Edition {
  version: string;
  /** 2026-11-17 */
  date: string;
}

const title = (name: string, { version, date }: Edition): string =>
  [
    '.\\" Made by scripts/man-pages.ts from the commands of the program.',
    `.TH ${roff(name.toUpperCase())} 1 "${date}" "slipway ${version}" "Slipway manual"`,
  ].join("\n");

/** An entry of a list; the first part is written as it is. */
const tagged = (tag: string, text: string): string => `.TP\n${tag}\n${roff(text)}`;

const bold = (text: string): string => `\\fB${roff(text)}\\fR`;

/** Text as roff reads it: a hyphen that can be copied, a backslash, and no line that looks like a request. */
const roff = (text: string): string =>
  text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll("~", "\\(ti")
    .replace(/^(?=[.'])/, "\\&");
