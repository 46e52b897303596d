import { listMachineBackups, parseSelection } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../input/open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { machineBackupTable } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const backups = await listMachineBackups({ fleet, selection: parseSelection(target) }, world);
  if (!options.json) shell.out.write(machineBackupTable(backups));
  else
    for (const backup of backups)
      shell.out.write(`${JSON.stringify({ v: 1, type: "machineBackup", ...backup })}\n`);
  return 0;
}
