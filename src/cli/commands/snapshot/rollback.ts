import { parseSelection, rollBackMachines } from "../../../operations/index.ts";
import { noTerminal } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { tellSnapshots } from "./tell-snapshots.ts";
import { renderRollbackWarning } from "../../views/index.ts";

interface RollbackOptions extends CommonOptions {
  force?: boolean;
}

export async function run(shell: Shell, options: RollbackOptions, args: string[]): Promise<number> {
  const [target, name = ""] = args;
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const report = await rollBackMachines(
    {
      fleet,
      selection: parseSelection(target),
      name,
      isForced: options.force ?? false,
      confirm(machines) {
        const nodes = machines.map(({ node }) => node);
        if (!options.json) shell.out.write(renderRollbackWarning(nodes, name, shell.out));
        return confirm(shell, options, machines[0]?.cluster ?? "");
      },
    },
    world,
  );
  tellSnapshots(shell, options, "rolled back", report);
  return 0;
}

async function confirm(shell: Shell, options: RollbackOptions, cluster: string): Promise<boolean> {
  if (options.yes) return true;
  if (!shell.canAsk) throw noTerminal("rolling back loses what was written since");
  return (await shell.ask("Type the cluster's name to go on: ")).trim() === cluster;
}
