import { parseSelection, rollBackMachines } from "../../../operations/index.ts";
import type { OwnedMachine } from "../../../plan/index.ts";
import { noTerminal } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../input/open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { tellSnapshots } from "./tell-snapshots.ts";
import { style } from "../../views/index.ts";

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
        if (!options.json) warn(shell, machines, name);
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

function warn(shell: Shell, machines: OwnedMachine[], name: string): void {
  const { glyphs, paint } = style(shell.out);
  const nodes = machines.map((machine) => machine.node).join(", ");
  const lines = [
    `${paint("warn", glyphs.warning)} ${nodes} stop, go back to ${name}, and start again`,
    "  loses   all that was written to their disks since, data disks included",
    "  etcd    goes back on all control planes together or on none; changes in Kubernetes since then are lost",
  ];
  shell.out.write(`${lines.join("\n")}\n`);
}
