import { destroyFleet, parseSelection, selectClusters } from "../../operations/index.ts";
import { realClock } from "../../lib/index.ts";
import { realWorld, slipwayFolder } from "../../world.ts";
import { confirmRemoval } from "../confirm-plan.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import type { CommonOptions } from "../options.ts";
import { openRunStream } from "../run-stream.ts";
import type { Shell } from "../shell.ts";
import { slipwayVersion } from "../version.ts";

interface DownOptions extends CommonOptions {
  only?: string;
  withData?: boolean;
}

export async function run(shell: Shell, options: DownOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const selection = parseSelection(options.only ?? cluster);
  const names = selectClusters(fleet, selection).map((known) => known.name);
  const stream = openRunStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = realWorld({ file: options.file, env: shell.env, stop: shell.stop, tell: stream.tell });
    const ending = await destroyFleet(
      {
        fleet,
        selection,
        isDataLossAccepted: options.withData ?? false,
        slipway: slipwayVersion,
        confirm: () => confirmRemoval(shell, options, names),
      },
      world,
    );
    return ending.exitCode;
  } finally {
    stream.close();
  }
}
