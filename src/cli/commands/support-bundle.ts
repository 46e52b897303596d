import { realClock } from "../../lib/index.ts";
import { loadFleet, parseSelection, runName, supportBundle } from "../../operations/index.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { renderWritten } from "../views/index.ts";
import { writeReport } from "../output/write-output.ts";

interface BundleOptions extends CommonOptions {
  output?: string;
}

export async function run(shell: Shell, options: BundleOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const { file, output = `slipway-support-${runName(realClock.now())}.tar.gz` } = options;
  const world = openWorld(shell, options, fleet);
  const { sources } = await loadFleet(file);
  const { bytes, files } = await supportBundle(
    { fleet, sources, selection: parseSelection(cluster), runtime: `node ${process.version}` },
    world,
  );
  await writeReport(output, bytes);
  if (options.json) shell.lines.tell({ type: "bundle", file: output, files });
  else {
    const text = `${files.length} files, no secret in it`;
    const next = `Read it before you send it: tar tzf ${output}`;
    shell.out.write(renderWritten({ file: output, text, next }, shell.out));
  }
  return 0;
}
