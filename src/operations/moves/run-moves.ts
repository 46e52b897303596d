import { runPlan, type RunResult } from "../../engine/index.ts";
import { planEvent, type Move, type Plan } from "../../plan/index.ts";
import type { World } from "../../world/index.ts";
import { notConfirmed } from "../planning/errors.ts";
import { guardedRun } from "../run/guarded-run.ts";
import { tellRunReport, type RunReport } from "../run/run-report.ts";
import { followMoves } from "./follow.ts";
import {
  demandWholeEtcd,
  isOurs,
  lookForMoves,
  planSteps,
  warningsAbout,
  type MoveRequest,
  type MoveFacts,
  type PlannedMoves,
} from "./plan-moves.ts";

/** How a verb decides what moves, and what it proves afterwards. */
export interface MoveVerb {
  verb: PlannedMoves["verb"];
  /** Refuses what cannot be. */
  choose(known: MoveFacts): Promise<Pick<PlannedMoves, "moves" | "staying" | "warnings">>;
  /** Throws when the end is not what was asked for. */
  prove?(known: MoveFacts): void;
}

/** Plans, asks, moves one after the other, and looks again. Safe to run again: a machine that has moved is found there. */
export async function runMoves(verb: MoveVerb, request: MoveRequest, outside: World): Promise<RunReport> {
  const { fleet, host } = request;
  const command = `${verb.verb} ${host}`;
  const clusters = fleet.clusters.filter(({ on }) => on.includes(host)).map(({ name }) => name);
  const run = { command, again: `slipway ${command}`, fleet, clusters };
  return guardedRun(run, outside, async ({ startedAt, world, claim }) => {
    const known = await lookForMoves(verb.verb, request, world);
    const planned = await planMoves(verb, known); // up to here nothing has been changed
    const { plan } = planned;
    const outputs = outputsOf(planned);
    world.tell(planEvent(plan));
    if (plan.changes.length === 0) return tellRunReport(world, { outcome: "unchanged", startedAt, outputs });
    await claim();
    if (!(await request.confirm(planned))) throw notConfirmed("the question was answered with no");
    const result = await runPlan(plan, known.parts.kinds, world);
    const isStopped = world.stop.aborted && result.stopped.length > 0;
    if (result.failed.length === 0 && !isStopped) verb.prove?.(await lookForMoves(verb.verb, request, world));
    return tellRunReport(world, {
      outcome: result.failed.length > 0 ? "failed" : isStopped ? "stopped" : "done",
      startedAt,
      result,
      kept: keptText(plan, result),
      outputs,
    });
  });
}

async function planMoves(verb: MoveVerb, known: MoveFacts): Promise<PlannedMoves> {
  const chosen = await verb.choose(known);
  const { staying, warnings } = chosen;
  const moves = [...begunMoves(known), ...chosen.moves];
  await demandWholeEtcd(known, moves);
  const following = await followMoves(known, moves);
  return {
    verb: verb.verb,
    host: known.host,
    moves,
    staying,
    warnings: [...warnings, ...warningsAbout(known, moves, following)],
    plan: await planSteps(known, moves, following.steps),
  };
}

/** What an earlier run has begun with nodes of the file. */
const begunMoves = ({ means, host, survey, fleet }: MoveFacts): Move[] =>
  (means.begun?.(host, survey) ?? []).filter(({ outlook }) => isOurs({ fleet, host }, outlook.machine));

function keptText({ changes }: Plan, { finished }: RunResult): string {
  const moves = changes.filter(({ node }) => node.kind.endsWith("/move")).map(({ node }) => node.id);
  const done = finished.filter(({ step }) => moves.includes(step)).length;
  return `${done} of ${moves.length} machines have moved; the others run where they were`;
}

const outputsOf = ({ host, staying }: PlannedMoves): Record<string, string> => ({
  host: host.name,
  ...(staying.length > 0 && { stays: staying.map(({ name }) => name).join(", ") }),
});
