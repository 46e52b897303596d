import { destroyFleet, parseSelection, type Removal } from "../../operations/index.ts";
import { realClock } from "../../lib/index.ts";
import { slipwayFolder } from "../../world.ts";
import { confirmRemoval } from "../confirm-plan.ts";
import { loadOrExplain } from "../load-or-explain.ts";
import { openWorld } from "../open-world.ts";
import type { CommonOptions } from "../options.ts";
import { openKeptStream } from "../run-stream.ts";
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
  const startedAt = realClock.now();
  const stream = await openKeptStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = openWorld(shell, options, fleet, stream.tell);
    const ending = await destroyFleet(
      {
        fleet,
        selection,
        isDataLossAccepted: options.withData ?? false,
        async confirm({ going, plan }) {
          const readAgoMs = realClock.now() - startedAt;
          const { names } = going;
          const secrets = await Promise.all(names.map((name) => world.secretFiles.list(name)));
          const shown = {
            command: "down",
            file: options.file,
            clusters: names,
            plan,
            readAgoMs,
            isRemoval: true,
            ...(secrets.flat().length > 0 && { keeps: "secrets" }),
          };
          if (!options.json) {
            stream.view.say(showPlan(shown, shell.out));
            if (going.clusters.length === 0) stream.view.say(strangerWords(going, options.file));
          }
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

/** A cluster that left the file is found by its marks alone, and that is worth a look before it goes. */
const strangerWords = ({ names, hosts }: Removal["going"], file: string): string =>
  `${names.join(", ")} is not in ${file}; this is what carries its mark on ${hosts.map((host) => host.name).join(", ")}.\n`;
