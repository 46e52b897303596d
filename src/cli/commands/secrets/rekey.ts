import path from "node:path";
import { parseSelection, rekeySecrets } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderRekeyed, rowsOn } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const done = await rekeySecrets({ fleet, selection: parseSelection(target) }, world);
  if (options.json)
    shell.lines.tell(
      ...done.map(({ cluster, name, file, before, after }) => ({
        ...{ type: "rekeyed" as const, cluster, name, file, before, after },
      })),
    );
  else {
    const shown = done.map((each) => ({ ...each, file: path.relative("", each.file) }));
    shell.out.write(renderRekeyed(shown, rowsOn(shell.out)));
  }
  return 0;
}
