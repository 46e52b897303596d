import type { MoveRequest, PlannedMoves, RunReport } from "../../../operations/index.ts";
import { realClock } from "../../../lib/index.ts";
import { slipwayFolder, type World } from "../../../world/index.ts";
import { noTerminal } from "../../errors.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { openWorld } from "../../input/open-world.ts";
import type { CommonOptions } from "../../options.ts";
import { openKeptStream } from "../../output/run-stream.ts";
import type { Shell } from "../../shell.ts";
import { renderMoves } from "../../views/index.ts";

/** Shows which machine goes where, asks, and moves them. */
export async function runMoves(
  shell: Shell,
  options: CommonOptions,
  host: string,
  verb: (request: MoveRequest, world: World) => Promise<RunReport>,
): Promise<number> {
  const fleet = await loadOrExplain(shell, options);
  if (!fleet) return 2;
  const stream = await openKeptStream(shell, options, realClock, slipwayFolder(options.file));
  try {
    const world = openWorld(shell, options, fleet, stream.tell);
    const confirm = (planned: PlannedMoves): Promise<boolean> => {
      if (!options.json) stream.view.say(renderMoves(shown(planned), shell.out));
      return confirmMoves(shell, options);
    };
    return (await verb({ fleet, host, confirm }, world)).exitCode;
  } finally {
    stream.close();
  }
}

const shown = ({ verb, host, moves, staying, warnings, plan }: PlannedMoves) => ({
  verb,
  host: host.name,
  moves: plan.changes.flatMap(({ node }) => {
    const found = moves.find(
      ({ outlook: { machine } }) => machine.cluster === node.cluster && machine.node === node.node,
    );
    if (!found || !node.kind.endsWith("/move")) return [];
    const { machine, isLive, disks } = found.outlook;
    const disksGiB = disks.reduce((sum, disk) => sum + disk.sizeGiB, 0);
    return [
      {
        node: `${machine.cluster}/${machine.node}`,
        from: machine.on,
        to: found.to.name,
        isControlPlane: machine.role === "control-plane",
        isHaManaged: machine.isHaManaged === true,
        ...{ isLive, disksGiB, usualMs: node.usualMs ?? 0 },
      },
    ];
  }),
  staying,
  warnings,
});

async function confirmMoves(shell: Shell, options: CommonOptions): Promise<boolean> {
  if (options.yes) return true;
  if (!shell.canAsk) throw noTerminal("each machine stands still for a moment while it moves");
  return /^y(es)?$/i.test((await shell.ask("Go on? [y/N] ")).trim());
}
