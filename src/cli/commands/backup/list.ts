import { listBackups, parseSelection } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { backupTable, rowsOn } from "../../views/index.ts";

interface ListOptions extends CommonOptions {
  in?: string;
}

const overdue = 3;

export async function run(shell: Shell, options: ListOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const listed = await listBackups({ fleet, selection: parseSelection(cluster), from: options.in }, world);
  if (options.json) {
    for (const { cluster: name, backups, foreign, isOverdue } of listed) {
      const of = { cluster: name };
      shell.lines.tell(
        ...backups.map(({ takenAt, ...rest }) => ({
          ...{ type: "backup" as const, ...of, takenAt: new Date(takenAt).toISOString(), ...rest },
        })),
        ...foreign.map((each) => ({ type: "foreign" as const, ...of, ...each })),
        { type: "backups", ...of, count: backups.length, isOverdue },
      );
    }
  } else shell.out.write(backupTable(listed, world.clock.now(), rowsOn(shell.out)));
  return listed.some(({ isOverdue }) => isOverdue) ? overdue : 0;
}
