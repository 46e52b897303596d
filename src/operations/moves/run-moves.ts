import { runPlan, type RunResult } from "../../engine/index.ts";
import { planEvent, type Plan } from "../../plan/index.ts";
import type { World } from "../../world/index.ts";
import { notConfirmed } from "../planning/errors.ts";
import { guardedRun } from "../run/guarded-run.ts";
import { tellRunReport, type RunReport } from "../run/run-report.ts";
import { type MoveRequest, type MoveFacts, type PlannedMoves } from "./plan-moves.ts";

/** How a verb decides what moves, and what it proves afterwards. */
export interface MoveVerb {
  verb: PlannedMoves["verb"];
  plan(request: MoveRequest, world: World): Promise<{ known: MoveFacts; planned: PlannedMoves }>;
  /** Throws when the end is not what was asked for. */
  prove?(request: MoveRequest, world: World): Promise<void>;
}

/** Plans, asks, moves one after the other, and looks again. Safe to run again: a machine that has moved is found there. */
export async function runMoves(verb: MoveVerb, request: MoveRequest, outside: World): Promise<RunReport> {
  const { fleet, host } = request;
  const command = `${verb.verb} ${host}`;
  const clusters = fleet.clusters.filter(({ on }) => on.includes(host)).map(({ name }) => name);
  return guardedRun({ command, fleet, clusters }, outside, async ({ startedAt, world, claim }) => {
    const { known, planned } = await verb.plan(request, world); // up to here nothing has been changed
    const { plan } = planned;
    const outputs = outputsOf(planned);
    world.tell(planEvent(plan));
    if (plan.changes.length === 0) return tellRunReport(world, { outcome: "unchanged", startedAt, outputs });
    await claim();
    if (!(await request.confirm(planned))) throw notConfirmed("the question was answered with no");
    const result = await runPlan(plan, known.parts.kinds, world);
    const isStopped = world.stop.aborted && result.stopped.length > 0;
    if (result.failed.length === 0 && !isStopped) await verb.prove?.(request, world);
    return tellRunReport(world, {
      outcome: result.failed.length > 0 ? "failed" : isStopped ? "stopped" : "done",
      startedAt,
      result,
      kept: keptText(plan, result),
      outputs,
    });
  });
}

function keptText({ changes }: Plan, { finished }: RunResult): string {
  const moves = changes.filter(({ node }) => node.kind.endsWith("/move")).map(({ node }) => node.id);
  const done = finished.filter(({ step }) => moves.includes(step)).length;
  return `${done} of ${moves.length} machines have moved; the others run where they were`;
}

const outputsOf = ({ host, staying }: PlannedMoves): Record<string, string> => ({
  host: host.name,
  ...(staying.length > 0 && { stays: staying.map(({ name }) => name).join(", ") }),
});
