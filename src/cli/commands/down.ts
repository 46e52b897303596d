import { destroyFleet, parseSelection, selectClusters } from "../../operations/index.ts";
import { realClock } from "../../lib/index.ts";
import { realWorld, slipwayFolder } from "../../world.ts";
import { confirmRemoval } from "../confirm-plan.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import type { CommonOptions } from "../options.ts";
import { openRunStream } from "../run-stream.ts";
import type { Shell } from "../shell.ts";
import { showPlan } from "../show-plan.ts";

interface DownOptions extends CommonOptions {
  only?: string;
  withData?: boolean;
}

export async function run(shell: Shell, options: DownOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const selection = parseSelection(options.only ?? cluster);
  const names = selectClusters(fleet, selection).map((known) => known.name);
  const startedAt = realClock.now();
  const stream = openRunStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = realWorld({ file: options.file, env: shell.env, stop: shell.stop, tell: stream.tell });
    const ending = await destroyFleet(
      {
        fleet,
        selection,
        isDataLossAccepted: options.withData ?? false,
        confirm(plan) {
          const readAgoMs = realClock.now() - startedAt;
          const shown = {
            command: "down",
            file: options.file,
            clusters: names,
            plan,
            readAgoMs,
            isRemoval: true,
            keeps: "secrets",
          };
          if (!options.json) stream.view.say(showPlan(shown, shell.out));
          return confirmRemoval(shell, options, names);
        },
      },
      world,
    );
    return ending.exitCode;
  } finally {
    stream.close();
  }
}
