import { realClock } from "../../../lib/index.ts";
import { replaceNode } from "../../../operations/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../input/open-world.ts";
import type { CommonOptions } from "../../options.ts";
import { openKeptStream } from "../../output/run-stream.ts";
import { showPlan } from "../../output/show-plan.ts";
import type { Shell } from "../../shell.ts";
import { confirmChanges } from "../up.ts";

interface ReplaceOptions extends CommonOptions {
  hostLost?: string[];
}

export async function run(shell: Shell, options: ReplaceOptions, [node = ""]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const startedAt = realClock.now();
  const stream = await openKeptStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = openWorld(shell, options, fleet, (event) => stream.tell(event));
    const { exitCode } = await replaceNode(
      {
        fleet,
        node,
        lostHosts: options.hostLost,
        confirm(preview) {
          const { plan, clusters } = preview;
          const readAgoMs = realClock.now() - startedAt;
          const names = clusters.map((known) => known.name);
          const shown = { command: "replace", file: options.file, clusters: names, plan, readAgoMs, preview };
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
