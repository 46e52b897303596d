import path from "node:path";
import { parseSelection, rekeySecrets, type Rekeyed } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../input/open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { style } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const done = await rekeySecrets({ fleet, selection: parseSelection(target) }, world);
  const { glyphs, paint } = style(shell.out);
  for (const { cluster, name, file, before, after } of done) {
    const mark = after === "foreign" ? paint("bad", glyphs.failed) : paint("ok", glyphs.done);
    if (options.json) shell.lines.tell({ type: "rekeyed", cluster, name, file, before, after });
    else shell.out.write(`${mark} ${path.relative("", file)}   ${words(before, after)}\n`);
  }
  if (done.length === 0 && !options.json) shell.out.write("no secrets yet; slipway up makes them\n");
  return 0;
}

function words(before: string, after: Rekeyed["after"]): string {
  if (after === "removed") return "a plain copy; removed";
  if (after === "foreign") return "a plain copy of secrets that Slipway did not make; delete it";
  return before === after ? `${after}, with the keys of the file` : `was ${before}, is ${after}`;
}
