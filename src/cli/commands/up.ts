import { applyFleet, parseSelection, readPlanFile } from "../../operations/index.ts";
import { realClock } from "../../lib/index.ts";
import type { Stage } from "../../plan/index.ts";
import { slipwayFolder } from "../../world.ts";
import { confirmChanges } from "../confirm-plan.ts";
import { junitCollector } from "../junit-collector.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import { readInput } from "../read-input.ts";
import { openKeptStream } from "../run-stream.ts";
import type { Shell } from "../shell.ts";
import { showPlan } from "../show-plan.ts";
import { writeReport } from "../write-output.ts";

interface UpOptions extends CommonOptions {
  only?: string;
  until: Stage;
  acceptDataLoss?: string[];
  snapshot?: boolean;
  plan?: string;
  junit?: string;
}

export async function run(shell: Shell, options: UpOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const approved =
    options.plan === undefined ? undefined : readPlanFile(options.plan, await readInput(options.plan));
  const asked = approved?.request ?? {
    selection: parseSelection(options.only ?? cluster),
    until: options.until,
    acceptDataLoss: options.acceptDataLoss ?? [],
    isSnapshotted: options.snapshot ?? false,
  };
  const startedAt = realClock.now();
  const junit = options.junit === undefined ? undefined : junitCollector("up");
  const stream = await openKeptStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = openWorld(shell, options, fleet, (event) => {
      junit?.tell(event);
      stream.tell(event);
    });
    const ending = await applyFleet(
      {
        fleet,
        ...asked,
        ...(approved && { approved }),
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
          // Whoever hands over a plan has agreed to it.
          return approved ? Promise.resolve(true) : confirmChanges(shell, options, plan);
        },
      },
      world,
    );
    if (options.junit !== undefined && junit) await writeReport(options.junit, junit.text());
    return ending.exitCode;
  } finally {
    stream.close();
  }
}
