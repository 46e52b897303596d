import { appendFile, mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileExists, unknownExample } from "../errors.ts";
import { packageRoot } from "../input/package-root.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { style } from "../views/index.ts";

interface InitOptions extends CommonOptions {
  example?: string | true;
  force?: boolean;
}

interface Example {
  name: string;
  /** The first sentence of its opening comment. */
  summary: string;
  text: string;
}

export async function run(shell: Shell, options: InitOptions): Promise<number> {
  const examples = await readExamples();
  const names = examples.map(({ name }) => name);
  if (typeof options.example !== "string") {
    const width = Math.max(...names.map((name) => name.length));
    for (const { name, summary } of examples) shell.out.write(`  ${name.padEnd(width)}   ${summary}\n`);
    shell.out.write(`\n  next  slipway init --example ${names[0] ?? "NAME"}\n`);
    return 0;
  }
  const example = examples.find(({ name }) => name === options.example);
  if (!example) throw unknownExample(options.example, names);
  if ((await isThere(options.file)) && !options.force) throw fileExists(options.file);
  await mkdir(path.dirname(options.file), { recursive: true });
  await writeFile(options.file, example.text);
  const isIgnored = await ignoreSecrets(path.dirname(options.file));
  const { glyphs, paint } = style(shell.out);
  const tail = isIgnored ? "; .slipway/ added to .gitignore" : "";
  shell.out.write(`${paint("ok", glyphs.done)} ${options.file} written: ${example.summary}${tail}\n`);
  shell.out.write("  edit  your hosts, and your network\n");
  shell.out.write("  next  slipway rehearse        works at once, no hardware needed\n");
  return 0;
}

async function readExamples(): Promise<Example[]> {
  const folder = path.join(packageRoot(), "examples");
  const files = (await readdir(folder)).filter((file) => file.endsWith(".yaml")).toSorted();
  return Promise.all(
    files.map(async (file) => {
      // Editors find the schema beside the examples; a copy elsewhere would point nowhere.
      const text = (await readFile(path.join(folder, file), "utf8")).replace(
        /^# yaml-language-server.*\n/,
        "",
      );
      const comment = text.split("\n").filter((line) => line.startsWith("# "));
      const summary =
        comment
          .map((line) => line.slice(2))
          .join(" ")
          .split(/[.:](?= |$)/)[0] ?? "";
      return { name: file.replace(/\.yaml$/, ""), summary, text };
    }),
  );
}

/** Keeps `.slipway/` out of git where there is a repository. Says whether a line was added. */
async function ignoreSecrets(folder: string): Promise<boolean> {
  if (!(await isThere(path.join(folder, ".git")))) return false;
  const file = path.join(folder, ".gitignore");
  const lines = (await readFile(file, "utf8").catch(() => "")).split("\n");
  if (lines.some((line) => /^\/?\.slipway\/?$/.test(line.trim()))) return false;
  await appendFile(file, `${lines.at(-1) === "" || lines.length === 0 ? "" : "\n"}.slipway/\n`);
  return true;
}

const isThere = (file: string): Promise<boolean> =>
  stat(file).then(
    () => true,
    () => false,
  );
