import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { CommanderError, type Command } from "commander";
import { describe, expect, test } from "vitest";
import { parseDocument } from "yaml";
import { addons } from "../../src/addons/index.ts";
import { buildProgram } from "../../src/cli/program.ts";
import {
  clusterFaultKinds,
  faultKinds,
  hostFaultKinds,
  parseDatacenter,
  realisticLatencies,
} from "../../src/sim/index.ts";
import { parseFleet } from "../../src/spec/index.ts";

const root = path.resolve(import.meta.dirname, "../..");
const pagesIn = (folder: string): string[] =>
  readdirSync(path.join(root, folder)).map((name) => `${folder}/${name}`);
const addonPages = pagesIn("docs/addons");
const guides = pagesIn("docs/guides");
const pages = [...guides, ...addonPages];
const read = (page: string): string => readFileSync(path.join(root, page), "utf8");

/** The blocks of one language, with the line they begin at. */
function blocks(page: string, language: string): { name: string; text: string }[] {
  const found = read(page).matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, "gm"));
  return [...found].map((match) => ({
    name: `${page}:${read(page).slice(0, match.index).split("\n").length}`,
    text: match[1] ?? "",
  }));
}

const yaml = pages.flatMap((page) => blocks(page, "yaml"));
const isClusterFile = ({ text }: { text: string }): boolean => /^clusters:/m.test(text);
const isDatacenterFile = ({ text }: { text: string }): boolean => /^storages:/m.test(text);

const fingerprint = Array.from({ length: 32 }, () => "AA").join(":");

test.each(yaml.filter(isClusterFile))("the cluster file at $name is a valid one", ({ name, text }) => {
  const parsed = parseFleet({ file: name, text: text.replace("AA:BB:…", fingerprint) }, { addons });
  expect("problems" in parsed ? parsed.problems.map(({ what }) => what) : []).toEqual([]);
});

test.each(yaml.filter(isDatacenterFile))("the datacenter file at $name is a valid one", ({ name, text }) => {
  expect(() => parseDatacenter(text, name)).not.toThrow();
});

test.each(yaml)("the block at $name is YAML", ({ text }) => {
  expect(parseDocument(text).errors).toEqual([]);
});

/** Each call of `slipway` in a line a person would type, without comments, pipes and what the shell does around it. */
function slipwayCalls(line: string): string[][] {
  return line
    .replace(/(^|\s)#.*$/, "")
    .split(/&&|\|\||[|;&]/)
    .map((part) =>
      part
        .replace(/\s*\d?>.*$/, "")
        .trim()
        .split(/\s+/),
    )
    .filter(([first]) => first === "slipway")
    .map(([, ...words]) => words);
}

/** In pipelines commands stand in lists, or after `run:`. */
const asTyped = ({ name, text }: { name: string; text: string }) => ({
  name,
  text: text.replaceAll(/^ *(?:- )?(?:run: )?(?=slipway )/gm, ""),
});

const typed = ["README.md", ...pages].flatMap((page) =>
  [...blocks(page, "sh"), ...blocks(page, "yaml").map(asTyped)].flatMap(({ name, text }) =>
    text
      .split("\n")
      .flatMap((line) => slipwayCalls(line).map((words) => ({ name, words, line: words.join(" ") }))),
  ),
);

/** What commander would say about the words; nothing is run. */
function complaint(words: string[]): string | undefined {
  let command: Command = buildProgram(
    () => {
      throw new Error("nothing is run here");
    },
    () => {},
  );
  let rest = words;
  for (;;) {
    const next = command.commands.find((each) => each.name() === rest[0]);
    if (!next) break;
    command = next.exitOverride().configureOutput({ writeErr: () => {} });
    rest = rest.slice(1);
  }
  if (command.parent === null) return `"${words[0] ?? ""}" is no command`;
  try {
    const { operands, unknown } = command.parseOptions(rest);
    if (unknown.length > 0) return `unknown: ${unknown.join(" ")}`;
    const isOpen = command.registeredArguments.at(-1)?.variadic === true;
    const most = isOpen ? Infinity : command.registeredArguments.length;
    const least = command.registeredArguments.filter((argument) => argument.required).length;
    return operands.length > most || operands.length < least ? `${operands.length} arguments` : undefined;
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.message;
    throw thrown;
  }
}

describe("a command that a page shows exists, with its options", () => {
  test.each(typed)("slipway $line ($name)", ({ words }) => {
    expect(complaint(words)).toBeUndefined();
  });
});

/** In running text a command may stand without its arguments, or with a word in capitals for one. */
const mentioned = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "CHANGELOG.md", ...pages].flatMap(
  (page) =>
    [
      ...read(page)
        .replaceAll(/^```[^]*?^```$/gm, "")
        .matchAll(/`(slipway [^`]+)`/g),
    ]
      .map(([, text = ""]) => ({ page, text }))
      .filter(({ text }) => !text.includes("COMMAND")),
);

test.each(mentioned)("the command $text that $page mentions exists", ({ text }) => {
  const complaints = slipwayCalls(text).map(complaint);
  expect(complaints.filter((each) => each !== undefined && !each.endsWith(" arguments"))).toEqual([]);
});

test("complaint() finds commands, options, choices and arguments that do not exist", () => {
  expect(complaint(["pla"])).toBe('"pla" is no command');
  expect(complaint(["plan", "--detail"])).toBe("unknown: --detail");
  expect(complaint(["up", "--until", "moon"])).toContain("Allowed choices");
  expect(complaint(["plan", "homelab", "twice"])).toBe("2 arguments");
  expect(complaint(["plan", "homelab", "--details"])).toBeUndefined();
});

test("the guide to the simulated datacenter knows every key, fault and latency", () => {
  const guide = read("docs/guides/simulated-datacenter.md");
  const [whole = ""] = yaml.filter(isDatacenterFile).map(({ text }) => text);
  expect(Object.keys(parseDatacenter(whole, "guide")).filter((key) => !guide.includes(`\`${key}\``))).toEqual(
    [],
  );
  expect(
    Object.keys(parseDatacenter(whole, "guide")).filter(
      (key) => !whole.includes(`\n${key}:`) && !whole.startsWith(`${key}:`),
    ),
  ).toEqual([]);
  const kinds = [...faultKinds, ...clusterFaultKinds, ...hostFaultKinds];
  expect(kinds.filter((kind) => !guide.includes(`| \`${kind}\` |`))).toEqual([]);
  const rows = Object.entries(realisticLatencies).map(([name, ms]) => `| \`${name}\` | ${ms} |`);
  expect(rows.filter((row) => !guide.includes(row))).toEqual([]);
});

test("README leads to every guide and to the errors", () => {
  const readme = read("README.md");
  expect([...guides, "docs/errors.md"].filter((page) => !readme.includes(`(${page})`))).toEqual([]);
});

test("the guide to add-ons leads to the page of each", () => {
  const guide = read("docs/guides/addons.md");
  expect(addonPages.filter((page) => !guide.includes(`(${page.replace("docs/", "../")})`))).toEqual([]);
});
