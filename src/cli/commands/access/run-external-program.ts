import { errorData, type SlipwayError } from "../../../errors/index.ts";
import { noTalosThere, nothingToRun, programMissing } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { clusterFor, openAccess } from "./open-access.ts";
import type { CommonOptions } from "../../options.ts";
import { runAttached } from "./run-attached.ts";
import type { Shell } from "../../shell.ts";
import { renderError } from "../../views/index.ts";

interface TheirProgram {
  name: "kubectl" | "talosctl";
  /** Where it is to be had. */
  from: string;
  example: string;
}

/** Runs a program of the user's own against a cluster, with access of its own for as long as it runs. */
export async function runTheirProgram(
  program: TheirProgram,
  shell: Shell,
  options: CommonOptions,
  args: string[],
): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const isNamed = fleet.clusters.some((cluster) => cluster.name === args[0]);
  const cluster = clusterFor(fleet, isNamed ? args[0] : undefined, program.name);
  const given = isNamed ? args.slice(1) : args;
  if (given.length === 0) throw nothingToRun(program.name, cluster.name, program.example);
  let trouble: SlipwayError | undefined;
  const onTrouble = (error: SlipwayError): void => void (trouble = error);
  const access = await openAccess(shell, options, { fleet, cluster, onTrouble });
  try {
    const own = access.programs[program.name];
    if (!own) throw noTalosThere(cluster.name);
    const env = { ...shell.env, ...own.env };
    const code = await runAttached(program.name, given, env, shell.stop).catch((thrown: unknown) => {
      throw programMissing(program.name, program.from, thrown);
    });
    // The program has said that it could not connect, but not why.
    if (code !== 0 && trouble) shell.err.write(renderError(errorData(trouble), {}, shell.err));
    return code;
  } finally {
    await access.close();
  }
}
