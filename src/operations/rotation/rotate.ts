import { runPlan } from "../../engine/index.ts";
import {
  comparePlan,
  planEvent,
  type CaRotationSteps,
  type CaRotationWanted,
  type Plan,
} from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { describeFleet } from "../planning/describe-fleet.ts";
import { assemble, hostsOf, readContext, type Parts } from "../planning/assemble.ts";
import { caNotRotatable, hostsUnreachable, notConfirmed } from "../planning/errors.ts";
import { guardedRun } from "../run/guarded-run.ts";
import { tellRunReport, type RunReport } from "../run/run-report.ts";

export interface RotateCaRequest extends CaRotationWanted {
  fleet: Fleet;
  cluster: Cluster;
  /** Asked before anything is changed; false ends the run with nothing done. */
  confirm(planned: PlannedRotation): Promise<boolean>;
}

/** What a rotation would do from where it stands. */
export interface PlannedRotation extends Pick<CaRotationSteps, "title" | "warnings"> {
  cluster: string;
  plan: Plan;
  /** How it is finished, where it ends before that. */
  finish?: string | undefined;
}

/**
 * Exchange an authority of a running cluster: accept the new one, issue with it, and when that is asked for drop the old.
 * Safe to run again: where it stands is read from the nodes and the secrets.
 */
export async function rotateCa(request: RotateCaRequest, outside: World): Promise<RunReport> {
  const { fleet, cluster, ca } = request;
  const run = { command: `rotate ca ${ca}`, fleet, clusters: [cluster.name] };
  return guardedRun(run, outside, async ({ startedAt, world, claim }) => {
    const parts = assemble(world, fleet);
    const planned = await planRotation(request, parts, world); // up to here nothing has been changed
    const { plan, finish } = planned;
    world.tell(planEvent(plan));
    const outputs = finish === undefined ? {} : { "old CA": "still accepted", finish };
    if (plan.changes.length === 0) return tellRunReport(world, { outcome: "unchanged", startedAt, outputs });
    await claim();
    if (!(await request.confirm(planned))) throw notConfirmed("the question was answered with no");
    const result = await runPlan(plan, parts.kinds, world);
    const isStopped = world.stop.aborted && result.stopped.length > 0;
    const isDone = result.failed.length === 0 && !isStopped;
    return tellRunReport(world, {
      outcome: isDone ? "done" : isStopped ? "stopped" : "failed",
      startedAt,
      result,
      kept: `the rotation stands where it is and breaks nothing; slipway rotate ca ${ca} ${cluster.name} goes on`,
      outputs: isDone ? outputs : {},
    });
  });
}

async function planRotation(request: RotateCaRequest, parts: Parts, world: World): Promise<PlannedRotation> {
  const { fleet, cluster, ca } = request;
  const survey = await parts.provider.survey(readContext(world), hostsOf(fleet, [cluster]));
  if (survey.unreachable.length > 0)
    throw hostsUnreachable(`rotate a CA of "${cluster.name}"`, survey.unreachable);
  const { graph } = await describeFleet(fleet, [cluster], survey, parts);
  const rotation = await parts.distribution.describeCaRotation?.(cluster, graph, request);
  if (!rotation) throw caNotRotatable(cluster.name);
  const { steps, title, warnings } = rotation;
  const isEnding = steps.some(({ id }) => id.endsWith("/end"));
  return {
    cluster: cluster.name,
    title,
    warnings,
    plan: await comparePlan(steps, parts.kinds, readContext(world, survey)),
    finish: isEnding ? undefined : `slipway rotate ca ${ca} ${cluster.name} --finish`,
  };
}
