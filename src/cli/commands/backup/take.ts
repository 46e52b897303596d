import { once } from "node:events";
import process from "node:process";
import { realClock } from "../../../lib/index.ts";
import { backupFleet, parseSelection, type BackupRequest } from "../../../operations/index.ts";
import { slipwayFolder } from "../../../world/index.ts";
import { pipeIsTerminal } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../open-world.ts";
import type { CommonOptions } from "../../options.ts";
import { openKeptStream } from "../../output/run-stream.ts";
import type { Shell } from "../../shell.ts";

interface BackupOptions extends CommonOptions {
  to?: string;
}

export async function run(shell: Shell, options: BackupOptions, [cluster]: string[]): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const isPipe = options.to === "-";
  if (isPipe && shell.out.isTerminal) throw pipeIsTerminal();
  // What is told goes elsewhere when the backup itself takes standard output.
  const told: Shell = isPipe ? { ...shell, out: shell.err } : shell;
  if (isPipe) shell.lines.moveTo(shell.err);
  const stream = await openKeptStream(told, options, realClock, slipwayFolder(options.file));
  try {
    const world = openWorld(shell, options, fleet, stream.tell);
    const target: Pick<BackupRequest, "to" | "pipe"> = isPipe ? { pipe: writeOut } : { to: options.to };
    return (await backupFleet({ fleet, selection: parseSelection(cluster), ...target }, world)).exitCode;
  } finally {
    stream.close();
  }
}

/** As fast as whoever reads takes it. */
async function writeOut(content: AsyncIterable<Uint8Array>): Promise<void> {
  const { stdout } = process;
  for await (const piece of content) if (!stdout.write(piece)) await once(stdout, "drain");
}
