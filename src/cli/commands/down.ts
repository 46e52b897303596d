import { downFleet, parseSelection, type Removal } from "../../operations/index.ts";
import { realClock } from "../../lib/index.ts";
import { slipwayFolder } from "../../world/index.ts";
import { showPlan } from "../output/show-plan.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { openWorld } from "../input/open-world.ts";
import { noTerminal } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { openKeptStream } from "../output/run-stream.ts";
import type { Shell } from "../shell.ts";

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
    const runReport = await downFleet(
      {
        fleet,
        selection,
        isDataLossAccepted: options.withData ?? false,
        async confirm({ removing, plan }) {
          const readAgoMs = realClock.now() - startedAt;
          const { names } = removing;
          const secrets = await Promise.all(names.map((name) => world.secretFiles.list(name)));
          const shown = {
            command: "down",
            file: options.file,
            clusters: names,
            plan,
            readAgoMs,
            isRemoval: true,
            keeps: secrets.flat().length > 0 ? "secrets" : undefined,
          };
          if (!options.json) {
            stream.view.say(showPlan(shown, shell.out));
            if (removing.clusters.length === 0) stream.view.say(strangerText(removing, options.file));
          }
          return confirmRemoval(shell, options, names);
        },
      },
      world,
    );
    return runReport.exitCode;
  } finally {
    stream.close();
  }
}

/** A cluster that left the file is found by its marks alone, and that is worth a look before it goes. */
const strangerText = ({ names, hosts }: Removal["removing"], file: string): string =>
  `${names.join(", ")} is not in ${file}; this is what carries its mark on ${hosts.map((host) => host.name).join(", ")}.\n`;

/** Destroying asks for the name. */
async function confirmRemoval(shell: Shell, options: CommonOptions, names: string[]): Promise<boolean> {
  if (options.yes) return true;
  if (!shell.canAsk) throw noTerminal("taking a cluster down cannot be undone");
  const name = names.join(" ");
  const question =
    names.length === 1 ? "Type the cluster's name to go on: " : `Type the names to go on (${name}): `;
  return (await shell.ask(question)).trim() === name;
}
