import path from "node:path";
import { listSecrets, parseSelection } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderSecrets, rowsOn } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const found = await listSecrets({ fleet, selection: parseSelection(target) }, world);
  if (options.json) {
    shell.lines.tell(...found.map((secret) => ({ type: "secret" as const, ...secret })));
    return 0;
  }
  const shown = found.map((secret) => ({ ...secret, file: path.relative("", secret.file) }));
  shell.out.write(renderSecrets(shown, rowsOn(shell.out)));
  return 0;
}
