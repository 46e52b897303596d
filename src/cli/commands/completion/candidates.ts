import type { Argument, Command, Option } from "commander";
import { addons } from "../../../addons/index.ts";
import { loadFleet } from "../../../operations/index.ts";
import type { Fleet } from "../../../spec/index.ts";
import { readExamples } from "../init/example.ts";
import { shells } from "./scripts.ts";

export interface Candidate {
  word: string;
  about: string;
}

/** What a word may be beside a choice that the command itself lists. */
type Kind = "cluster" | "node" | "host" | "example" | "data" | "shell" | "only" | "format";

/** By the names that arguments and values of options have in the help. */
const kinds: Readonly<Record<string, Kind>> = {
  cluster: "cluster",
  node: "node",
  host: "host",
  shell: "shell",
  format: "format",
  "cluster[/node]": "only",
  "example name": "example",
  "accept-data-loss name": "data",
};

/** Words that may stand last; the last of `words` is what is typed so far, maybe nothing. */
export async function candidates(program: Command, words: readonly string[]): Promise<Candidate[]> {
  const typed = words.at(-1) ?? "";
  const { command, args, awaited } = walk(program, words.slice(0, -1));
  const all = awaited
    ? await valuesOf(awaited, words)
    : typed.startsWith("-")
      ? optionsOf(command)
      : [...commandsBelow(command, args.length), ...(await argumentsOf(command, args, words))];
  return all.filter(({ word }) => word.startsWith(typed));
}

interface Walked {
  command: Command;
  /** Those given so far, without options. */
  args: string[];
  /** The option whose value comes next. */
  awaited?: Option | undefined;
}

function walk(program: Command, words: readonly string[]): Walked {
  let command = program;
  let awaited: Option | undefined;
  let args: string[] = [];
  for (const word of words) {
    if (awaited && !word.startsWith("-")) {
      awaited = awaited.variadic ? awaited : undefined;
      continue;
    }
    awaited = undefined;
    if (word.startsWith("-")) {
      const option = command.options.find((each) => each.short === word || each.long === word);
      awaited = option && (option.required || option.optional) ? option : undefined;
      continue;
    }
    const below = args.length === 0 ? command.commands.find((each) => each.name() === word) : undefined;
    if (below) command = below;
    else args = [...args, word];
  }
  return { command, args, awaited };
}

const commandsBelow = (command: Command, given: number): Candidate[] =>
  given > 0
    ? []
    : command
        .createHelp()
        .visibleCommands(command)
        .filter((each) => each.name() !== "help")
        .map((each) => ({ word: each.name(), about: each.description() }));

const optionsOf = (command: Command): Candidate[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .flatMap(({ long, description }) => (long ? [{ word: long, about: description }] : []));

async function valuesOf(option: Option, words: readonly string[]): Promise<Candidate[]> {
  if (option.argChoices) return option.argChoices.map((word) => ({ word, about: "" }));
  const name = /[<[]([^>]+?)(?:\.\.\.)?[>\]]$/.exec(option.flags)?.[1] ?? "";
  const kind = kinds[`${option.long?.slice(2) ?? ""} ${name}`] ?? kinds[name];
  return kind ? wordsFor(kind, words) : [];
}

async function argumentsOf(command: Command, args: string[], words: readonly string[]): Promise<Candidate[]> {
  const all: readonly Argument[] = command.registeredArguments;
  const next = all[args.length] ?? (all.at(-1)?.variadic ? all.at(-1) : undefined);
  if (!next) return [];
  if (next.argChoices) return next.argChoices.map((word) => ({ word, about: "" }));
  const kind = kinds[next.name()];
  return kind ? wordsFor(kind, words) : [];
}

async function wordsFor(kind: Kind, words: readonly string[]): Promise<Candidate[]> {
  if (kind === "shell") return shells.map((word) => ({ word, about: "" }));
  if (kind === "format") return ["talhelper", "dnsmasq"].map((word) => ({ word, about: "" }));
  if (kind === "example")
    return (await readExamples()).map(({ name, summary }) => ({ word: name, about: summary }));
  const fleet = await fleetOf(words);
  if (!fleet) return [];
  const clusters = fleet.clusters.map(({ name }) => ({ word: name, about: "cluster" }));
  const nodes = fleet.clusters.flatMap((cluster) =>
    cluster.nodes.map((node) => ({ word: `${cluster.name}/${node.name}`, about: node.role })),
  );
  const used = new Set(fleet.clusters.flatMap((cluster) => cluster.addons.map(({ name }) => name)));
  switch (kind) {
    case "cluster":
      return clusters;
    case "only":
      return [...clusters, ...nodes];
    case "node":
      return nodes;
    case "host":
      return fleet.hosts.map(({ name, provider }) => ({ word: name, about: provider }));
    case "data":
      return [
        ...fleet.clusters.flatMap((cluster) =>
          cluster.nodes.map(({ name, role }) => ({ word: name, about: role })),
        ),
        ...addons.flatMap(({ name }) => (used.has(name) ? [{ word: name, about: "add-on" }] : [])),
      ];
  }
}

/** The file that is named so far; nothing is proposed where it is wrong or not there. */
async function fleetOf(words: readonly string[]): Promise<Fleet | undefined> {
  const at = words.findIndex((word) => word === "-f" || word === "--file");
  const file = at === -1 ? undefined : words[at + 1];
  const loaded = await loadFleet(file ?? "slipway.yaml").catch(() => undefined);
  return loaded && "fleet" in loaded ? loaded.fleet : undefined;
}
