import { applyFleet, parseSelection } from "../../operations/index.ts";
import { realClock } from "../../lib/index.ts";
import type { Stage } from "../../plan/index.ts";
import { realWorld, slipwayFolder } from "../../world.ts";
import { confirmChanges } from "../confirm-plan.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import type { CommonOptions } from "../options.ts";
import { openRunStream } from "../run-stream.ts";
import type { Shell } from "../shell.ts";
import { showPlan } from "../show-plan.ts";

interface UpOptions extends CommonOptions {
  only?: string;
  until: Stage;
  acceptDataLoss?: string[];
  snapshot?: boolean;
}

export async function run(shell: Shell, options: UpOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const startedAt = realClock.now();
  const stream = openRunStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = realWorld({ file: options.file, fleet, env: shell.env, stop: shell.stop, tell: stream.tell });
    const ending = await applyFleet(
      {
        fleet,
        selection: parseSelection(options.only ?? cluster),
        until: options.until,
        acceptDataLoss: options.acceptDataLoss ?? [],
        isSnapshotted: options.snapshot ?? false,
        confirm(preview) {
          const { plan, clusters } = preview;
          const readAgoMs = realClock.now() - startedAt;
          const names = clusters.map((known) => known.name);
          if (!options.json)
            stream.view.say(
              showPlan(
                { command: "up", file: options.file, clusters: names, plan, readAgoMs, preview },
                shell.out,
              ),
            );
          return confirmChanges(shell, options, plan);
        },
      },
      world,
    );
    return ending.exitCode;
  } finally {
    stream.close();
  }
}
