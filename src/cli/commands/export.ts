import path from "node:path";
import { exportTalhelper, parseSelection } from "../../operations/index.ts";
import { realWorld } from "../../world.ts";
import { exportUnknown } from "../errors.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { writeOutput } from "../write-output.ts";

interface ExportOptions extends CommonOptions {
  output: string;
  force?: boolean;
}

/** Several clusters get a folder each. */
export async function run(
  shell: Shell,
  options: ExportOptions,
  [format = "", cluster]: string[],
): Promise<number> {
  if (format !== "talhelper") throw exportUnknown(format);
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = realWorld({ file: options.file, fleet, env: shell.env, stop: shell.stop, tell: () => {} });
  const files = await exportTalhelper({ fleet, selection: parseSelection(cluster) }, world);
  const isSeveral = new Set(files.map((file) => file.cluster)).size > 1;
  for (const file of files) {
    const target = path.join(options.output, isSeveral ? file.cluster : "", file.name);
    await writeOutput(shell, target, file.text, options.force ?? false);
    if (options.json)
      shell.out.write(`${JSON.stringify({ v: 1, type: "exported", cluster: file.cluster, file: target })}\n`);
  }
  return 0;
}
