import path from "node:path";
import { parseSelection, rekeySecrets } from "../../operations/index.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import type { Shell } from "../shell.ts";
import { style } from "../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const done = await rekeySecrets({ fleet, selection: parseSelection(target) }, world);
  const { glyphs, paint } = style(shell.out);
  for (const { cluster, name, file, before, after } of done) {
    const how = before === after ? `${after}, with the keys of the file` : `was ${before}, is ${after}`;
    shell.out.write(
      options.json
        ? `${JSON.stringify({ v: 1, type: "rekeyed", cluster, name, file, before, after })}\n`
        : `${paint("ok", glyphs.done)} ${path.relative("", file)}   ${how}\n`,
    );
  }
  if (done.length === 0 && !options.json) shell.out.write("no secrets yet; slipway up makes them\n");
  return 0;
}
