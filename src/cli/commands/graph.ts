import path from "node:path";
import {
  contentOf,
  writeDiagram,
  type Diagram,
  type Format,
  type Source,
  type View,
} from "../../exports/graph/index.ts";
import { graphFleet } from "../../operations/index.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import { writeReport } from "../output/write-output.ts";
import type { Shell } from "../shell.ts";
import { renderWritten } from "../views/index.ts";

interface GraphOptions extends CommonOptions {
  from: Source;
  view: View;
  format?: Format;
  output?: string;
}

const endings: Record<Format, string[]> = {
  svg: [".svg"],
  mermaid: [".mmd", ".mermaid"],
  d2: [".d2"],
  json: [".json"],
};

export async function run(shell: Shell, options: GraphOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const { from, view } = options;
  const selection = cluster === undefined ? {} : { cluster };
  const found = await graphFleet({ fleet, selection, from, view }, openWorld(shell, options, fleet));
  const diagram = shell.redaction.redact(found);
  const format = options.format ?? formatOf(options.output) ?? (options.json ? "json" : "svg");
  const output =
    options.output ?? (options.json ? undefined : defaultOutput(shell, options.file, diagram, format));
  const isPrinted = output === undefined || output === "-";
  if (!isPrinted) await writeReport(output, await writeDiagram(diagram, format));
  if (options.json) {
    const written = isPrinted ? {} : { file: output, format };
    shell.lines.tell({ type: "graph", ...diagram, ...written });
  } else if (isPrinted) shell.out.write(await writeDiagram(diagram, format));
  else shell.out.write(renderWritten({ file: output, text: contentOf(diagram) }, shell.out));
  return 0;
}

const formatOf = (output: string | undefined): Format | undefined =>
  (Object.keys(endings) as Format[]).find((format) =>
    endings[format].some((ending) => output?.toLowerCase().endsWith(ending)),
  );

/** A terminal cannot show a picture, so it gets a file; text, and whatever goes to another program, is printed. */
function defaultOutput(
  shell: Shell,
  file: string,
  { shown, view }: Diagram,
  format: Format,
): string | undefined {
  if (!shell.out.isTerminal || format !== "svg") return undefined;
  const [only] = shown;
  const name = shown.length === 1 && only !== undefined ? only : path.parse(file).name;
  return `${name}-${view}.svg`;
}
