import { runChecks, runPlan, type CheckResult, type RunResult } from "../engine/index.ts";
import { plannedStep } from "../plan/index.ts";
import type { World } from "../world.ts";
import { endingOf, tellEnding, type Ending } from "./ending.ts";
import { notConfirmed, preflightFailed } from "./errors.ts";
import { findCutRun } from "./journal.ts";
import { lockClusters } from "./lock-clusters.ts";
import { preflightChecks, type Preview } from "./preview.ts";
import { planFleet, type FleetPlan, type PlanRequest } from "./plan-fleet.ts";
import { selectClusters } from "./select.ts";

export interface ApplyRequest extends PlanRequest {
  slipway: string;
  /** Asked before anything is changed; false ends the run with nothing done. */
  confirm(preview: Preview): Promise<boolean>;
}

/** How long work in flight may take to reach a safe point after the first Ctrl-C. */
const graceMs = 8_000;

/** Make the clusters of the file real. Safe to run again: finished work is found and kept. */
export function applyFleet(request: ApplyRequest, world: World): Promise<Ending> {
  const startedAt = world.clock.now();
  return endingOf(world, startedAt, async () => {
    const names = selectClusters(request.fleet, request.selection).map((cluster) => cluster.name);
    const unlock = await lockClusters(names, "up", world);
    try {
      tellRun(request, names, world);
      const planned = await planFleet(request, world);
      const { plan, parts } = planned;
      const checks = await preflight(planned, world); // up to here nothing has been changed
      world.tell({
        type: "plan",
        steps: plan.changes.map(plannedStep),
        same: plan.same,
        refused: plan.refused,
      });
      if (plan.changes.length === 0) return tellEnding(world, { outcome: "unchanged", startedAt });
      if (!(await request.confirm({ ...planned, checks })))
        throw notConfirmed("the question was answered with no");
      const result = await runPlan(plan, parts.kinds, {
        clock: world.clock,
        stop: world.stop,
        graceMs,
        tell: world.tell,
      });
      const isHealthy = await verify(planned, request, result, world);
      return tellEnding(world, {
        outcome: outcomeOf(result, isHealthy, world),
        startedAt,
        result,
        kept: `${result.finished.length + plan.same} finished steps; nothing was removed`,
        outputs: Object.assign(
          {},
          ...planned.clusters.map((cluster) => parts.distribution.outputs(cluster)),
        ) as Record<string, string>,
      });
    } finally {
      await unlock();
    }
  });
}

function tellRun(request: ApplyRequest, clusters: string[], world: World): void {
  const resumes = findCutRun(world.folder, clusters, "up");
  world.tell({
    type: "run",
    command: "up",
    clusters,
    world: world.kind,
    slipway: request.slipway,
    file: request.fleet.file,
    ...(resumes && { resumes }),
  });
}

/** All checks run, all failures are told at once. */
async function preflight(planned: FleetPlan, world: World): Promise<CheckResult[]> {
  const all = await preflightChecks(planned, world);
  const failed = all.filter((result) => result.status === "failed");
  if (failed.length > 0) throw preflightFailed(failed.length, all.length);
  return all;
}

/** The checklist of a cluster that went all the way; part of one has nothing to show yet. */
async function verify(
  planned: FleetPlan,
  request: ApplyRequest,
  result: RunResult,
  world: World,
): Promise<boolean> {
  const isWhole =
    request.selection.node === undefined && (request.until === "kubernetes" || request.until === "addons");
  if (!isWhole || world.stop.aborted || result.failed.length > 0) return true;
  const checkWorld = { clock: world.clock, signal: world.stop, tell: world.tell };
  const results = await Promise.all(
    planned.clusters.map((cluster) =>
      runChecks("verify", cluster.name, planned.parts.distribution.health(cluster), checkWorld),
    ),
  );
  return results.flat().every((check) => check.status !== "failed");
}

function outcomeOf(result: RunResult, isHealthy: boolean, world: World): "done" | "failed" | "stopped" {
  if (result.failed.length > 0 || !isHealthy) return "failed";
  return world.stop.aborted && result.stopped.length > 0 ? "stopped" : "done";
}
