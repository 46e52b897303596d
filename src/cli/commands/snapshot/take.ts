import { parseSelection, takeSnapshots } from "../../../operations/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import type { Shell } from "../../shell.ts";
import { tellSnapshots } from "./tell-snapshots.ts";

export async function run(shell: Shell, options: CommonOptions, [target]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const world = openWorld(shell, options, fleet);
  const report = await takeSnapshots({ fleet, selection: parseSelection(target) }, world);
  tellSnapshots(shell, options, "taken", report);
  return 0;
}
