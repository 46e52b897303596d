import { listMachineBackups, parseSelection } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { machineBackupTable, rowsOn } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const backups = await listMachineBackups({ fleet, selection: parseSelection(target) }, world);
  if (options.json)
    shell.lines.tell(...backups.map((backup) => ({ type: "machineBackup" as const, ...backup })));
  else shell.out.write(machineBackupTable(backups, rowsOn(shell.out)));
  return 0;
}
