import type { MoveRequest, PlannedMoves, RunReport } from "../../../operations/index.ts";
import { copiedDisks } from "../../../plan/index.ts";
import type { World } from "../../../world/index.ts";
import { loadOrExplain } from "../../input/load-or-explain.ts";
import { mayGoOn } from "../../input/may-go-on.ts";
import type { CommonOptions } from "../../options.ts";
import { keptRun } from "../../open-world.ts";
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
  const { exitCode } = await keptRun(shell, options, fleet, ({ world, say }) => {
    const confirm = (planned: PlannedMoves): Promise<boolean> => {
      const input = movesInput(planned);
      say(renderMoves(input, shell.out));
      return mayGoOn(shell, options, priceOf(input));
    };
    return verb({ fleet, host, confirm }, world);
  });
  return exitCode;
}

/** What it costs, completing "not confirmed: …". */
const priceOf = ({ moves }: ReturnType<typeof movesInput>): string =>
  moves.every(({ way }) => way === "live" || way === "off")
    ? "each machine stands still for a moment while it moves"
    : "each node is off while its disks are copied";

/** A plan of moves as the screen shows it. */
export const movesInput = ({ verb, host, moves, staying, warnings, plan }: PlannedMoves) => ({
  verb,
  host: host.name,
  moves: plan.changes.flatMap(({ node }) => {
    const found = moves.find(
      ({ outlook: { machine } }) => machine.cluster === node.cluster && machine.node === node.node,
    );
    if (!found || !node.kind.endsWith("/move")) return [];
    const { machine, way } = found.outlook;
    const disksGiB = copiedDisks(found.outlook, found.to).reduce((sum, disk) => sum + disk.sizeGiB, 0);
    return [
      {
        node: `${machine.cluster}/${machine.node}`,
        from: machine.on,
        to: found.to.name,
        isControlPlane: machine.role === "control-plane",
        isHaManaged: machine.isHaManaged === true,
        ...{ way, disksGiB, usualMs: node.usualMs ?? 0 },
      },
    ];
  }),
  staying,
  warnings,
});
