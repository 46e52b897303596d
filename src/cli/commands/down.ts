import { downFleet, parseSelection, type Removal } from "../../operations/index.ts";
import { loadOrExplain } from "../input/load-or-explain.ts";
import { noTerminal } from "../errors.ts";
import type { CommonOptions } from "../options.ts";
import { keptRun } from "../open-world.ts";
import type { Shell } from "../shell.ts";

interface DownOptions extends CommonOptions {
  only?: string;
  withData?: boolean;
}

export async function run(shell: Shell, options: DownOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const selection = parseSelection(options.only ?? cluster);
  const { exitCode } = await keptRun(shell, options, fleet, ({ world, say, show }) =>
    downFleet(
      {
        fleet,
        selection,
        isDataLossAccepted: options.withData ?? false,
        async confirm({ removing, plan }) {
          const { names } = removing;
          const secrets = await Promise.all(names.map((name) => world.secretFiles.list(name)));
          const keeps = secrets.flat().length > 0 ? "secrets" : undefined;
          show({ command: "down", clusters: names, plan, isRemoval: true, keeps });
          if (removing.clusters.length === 0) say(strangerText(removing, options.file));
          return confirmRemoval(shell, options, names);
        },
      },
      world,
    ),
  );
  return exitCode;
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
