import { listFleetSnapshots, parseSelection } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { rowsOn, snapshotTable } from "../../views/index.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const snapshots = await listFleetSnapshots({ fleet, selection: parseSelection(target) }, world);
  if (options.json) {
    shell.lines.tell(...snapshots.map((snapshot) => ({ type: "snapshot" as const, ...snapshot })));
    return 0;
  }
  shell.out.write(snapshotTable(snapshots, rowsOn(shell.out)));
  return 0;
}
