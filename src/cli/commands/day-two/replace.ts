import { replaceNode } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import type { CommonOptions } from "../../options.ts";
import { keptRun } from "../../open-world.ts";
import type { Shell } from "../../shell.ts";
import { confirmChanges } from "../up.ts";

interface ReplaceOptions extends CommonOptions {
  hostLost?: string[];
  backupMachines?: string;
  /** True where none is named. */
  fromBackup?: string | true;
}

export async function run(shell: Shell, options: ReplaceOptions, [node = ""]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const { exitCode } = await keptRun(shell, options, fleet, ({ world, show }) =>
    replaceNode(
      {
        fleet,
        node,
        lostHosts: options.hostLost,
        backupStorage: options.backupMachines,
        fromBackup: archiveIn(options),
        confirm(preview) {
          const { plan, clusters } = preview;
          show({ command: "replace", clusters: clusters.map(({ name }) => name), plan, preview });
          return confirmChanges(shell, options, plan);
        },
      },
      world,
    ),
  );
  return exitCode;
}

const archiveIn = ({ fromBackup }: ReplaceOptions): { archive?: string } | undefined => {
  if (fromBackup === undefined) return undefined;
  return fromBackup === true || fromBackup === "latest" ? {} : { archive: fromBackup };
};
