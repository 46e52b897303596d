import { realClock } from "../../../lib/index.ts";
import { rollBackNode } from "../../../operations/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../input/open-world.ts";
import type { CommonOptions } from "../../options.ts";
import { openKeptStream } from "../../output/run-stream.ts";
import { showPlan } from "../../output/show-plan.ts";
import type { Shell } from "../../shell.ts";
import { confirmChanges } from "../up.ts";

export async function run(shell: Shell, options: CommonOptions, [node = ""]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const startedAt = realClock.now();
  const stream = await openKeptStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = openWorld(shell, options, fleet, (event) => stream.tell(event));
    const { exitCode } = await rollBackNode(
      {
        fleet,
        node,
        confirm(plan, cluster) {
          const readAgoMs = realClock.now() - startedAt;
          const shown = { command: "rollback", file: options.file, clusters: [cluster], plan, readAgoMs };
          if (!options.json) stream.view.say(showPlan(shown, shell.out));
          return confirmChanges(shell, options, plan);
        },
      },
      world,
    );
    return exitCode;
  } finally {
    stream.close();
  }
}
