import { rollBackNode } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import type { CommonOptions } from "../../options.ts";
import { keptRun } from "../../open-world.ts";
import type { Shell } from "../../shell.ts";
import { confirmChanges } from "../up.ts";

export async function run(shell: Shell, options: CommonOptions, [node = ""]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const { exitCode } = await keptRun(shell, options, fleet, ({ world, show }) =>
    rollBackNode(
      {
        fleet,
        node,
        confirm(plan, cluster) {
          show({ command: "rollback", clusters: [cluster], plan });
          return confirmChanges(shell, options, plan);
        },
      },
      world,
    ),
  );
  return exitCode;
}
