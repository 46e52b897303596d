import { addons } from "../../../addons/index.ts";
import { schemaLine, writeInitFiles } from "../../../operations/index.ts";
import { fleetJsonSchema } from "../../../spec/index.ts";
import { unknownExample } from "../../errors.ts";
import { listPackageFiles, readPackageFile } from "../../input/package-files.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderExampleCopied, renderExamples, rowsOn } from "../../views/index.ts";

export interface Example {
  name: string;
  /** The first sentence of its opening comment. */
  summary: string;
  text: string;
}

/** The cluster file as JSON Schema, for editors. */
export const schemaText = (): string => `${JSON.stringify(fleetJsonSchema(addons), null, 2)}\n`;

/** What can be copied, one line each. */
export async function listExamples(shell: Shell, { json }: CommonOptions): Promise<void> {
  const examples = await readExamples();
  if (json) {
    shell.lines.tell(...examples.map(({ name, summary }) => ({ type: "example" as const, name, summary })));
    return;
  }
  shell.out.write(renderExamples(examples, rowsOn(shell.out)));
}

export async function copyExample(shell: Shell, options: CommonOptions, wanted: string): Promise<void> {
  const { file } = options;
  const examples = await readExamples();
  const example = examples.find(({ name }) => name === wanted);
  if (!example)
    throw unknownExample(
      wanted,
      examples.map(({ name }) => name),
    );
  const text = `${schemaLine}${example.text}`;
  const written = await writeInitFiles({ file, text, schema: schemaText(), secrets: [] });
  if (options.json) {
    const lines = text.trimEnd().split("\n").length;
    shell.lines.tell({
      type: "written",
      file,
      lines,
      hosts: [],
      made: [],
      written,
      next: ["slipway rehearse"],
    });
    return;
  }
  const tail = written.includes(".gitignore") ? "; .slipway/ added to .gitignore" : "";
  shell.out.write(renderExampleCopied(file, example.summary, tail, shell.out));
}

export async function readExamples(): Promise<Example[]> {
  const files = (await listPackageFiles("examples")).filter((file) => file.endsWith(".yaml")).toSorted();
  return Promise.all(
    files.map(async (file) => {
      // Editors find the schema beside the examples; a copy elsewhere gets a line of its own.
      const text = (await readPackageFile(`examples/${file}`)).replace(/^# yaml-language-server.*\n/, "");
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
