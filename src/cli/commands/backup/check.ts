import { existsSync } from "node:fs";
import { checkBackup } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { renderCheckedBackup } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [name = ""]: string[]): Promise<number> {
  // On the worst day there is a backup, a key, and no cluster file.
  const isAlone = !existsSync(options.file) && existsSync(name);
  const fleet = isAlone
    ? { file: options.file, hosts: [], clusters: [] }
    : await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const checked = await checkBackup({ fleet, name }, openWorld(shell, options, fleet));
  if (options.json) shell.lines.tell({ type: "checked", ...checked });
  else shell.out.write(renderCheckedBackup(checked, shell.out));
  return 0;
}
