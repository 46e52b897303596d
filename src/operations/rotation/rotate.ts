import { runPlan } from "../../engine/index.ts";
import {
  comparePlan,
  planEvent,
  type CaRotationWanted,
  type Graph,
  type Plan,
  type RenewablePart,
  type RotationSteps,
} from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { describeFleet } from "../planning/describe-fleet.ts";
import { assemble, hostsOf, readContext, type Parts } from "../planning/assemble.ts";
import { caNotRotatable, hostsUnreachable, notConfirmed, partNotRotatable } from "../planning/errors.ts";
import { guardedRun } from "../run/guarded-run.ts";
import { tellRunReport, type RunReport } from "../run/run-report.ts";

interface RotationRequest {
  fleet: Fleet;
  cluster: Cluster;
  /** Asked before anything is changed; false ends the run with nothing done. */
  confirm(planned: PlannedRotation): Promise<boolean>;
}

export interface RotateCaRequest extends RotationRequest, CaRotationWanted {}

export interface RotatePartRequest extends RotationRequest {
  part: RenewablePart;
}

/** What a rotation would do from where it stands. */
export interface PlannedRotation extends Pick<RotationSteps, "title" | "warnings"> {
  cluster: string;
  plan: Plan;
  /** How it is finished, where it ends before that. */
  finish?: string | undefined;
}

/** What is typed for it, and who knows its steps. */
interface Rotating extends RotationRequest {
  command: string;
  describe(parts: Parts, described: Graph): Promise<RotationSteps>;
  finish?(steps: Graph): string | undefined;
}

/**
 * Exchange an authority of a running cluster: accept the new one, issue with it, and when that is asked for drop the old.
 * Safe to run again: where it stands is read from the nodes and the secrets.
 */
export function rotateCa(request: RotateCaRequest, outside: World): Promise<RunReport> {
  const { cluster, ca } = request;
  return runRotation(
    {
      ...request,
      command: `rotate ca ${ca}`,
      async describe({ distribution }, described) {
        const steps = await distribution.describeCaRotation?.(cluster, described, request);
        if (!steps) throw caNotRotatable(cluster.name);
        return steps;
      },
      finish: (steps) =>
        steps.some(({ id }) => id.endsWith("/end"))
          ? undefined
          : `slipway rotate ca ${ca} ${cluster.name} --finish`,
    },
    outside,
  );
}

/** Make certificates, tokens or encryption keys of a running cluster anew. Safe to run again: one that was cut goes on. */
export function rotatePart(request: RotatePartRequest, outside: World): Promise<RunReport> {
  const { cluster, part } = request;
  return runRotation(
    {
      ...request,
      command: `rotate ${part}`,
      async describe({ distribution }, described) {
        const steps = await distribution.describeRenewal?.(cluster, described, part);
        if (!steps) throw partNotRotatable({ cluster: cluster.name, part });
        return steps;
      },
    },
    outside,
  );
}

async function runRotation(request: Rotating, outside: World): Promise<RunReport> {
  const { fleet, cluster, command } = request;
  const again = `slipway ${command} ${cluster.name}`;
  const run = { command, again, fleet, clusters: [cluster.name] };
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
      kept: `the rotation stands where it is and breaks nothing; ${again} goes on`,
      outputs: isDone ? outputs : {},
    });
  });
}

async function planRotation(request: Rotating, parts: Parts, world: World): Promise<PlannedRotation> {
  const { fleet, cluster, command } = request;
  const survey = await parts.provider.survey(readContext(world), hostsOf(fleet, [cluster]));
  if (survey.unreachable.length > 0)
    throw hostsUnreachable(`${command} of "${cluster.name}"`, survey.unreachable);
  const { graph } = await describeFleet(fleet, [cluster], survey, parts);
  const { steps, title, warnings } = await request.describe(parts, graph);
  return {
    cluster: cluster.name,
    title,
    warnings,
    plan: await comparePlan(steps, parts.kinds, readContext(world, survey)),
    finish: request.finish?.(steps),
  };
}
