import { runChecklist, type RunResult } from "../engine/index.ts";
import { errorData } from "../errors/index.ts";
import { planEvent } from "../plan/index.ts";
import type { Cluster } from "../spec/index.ts";
import type { World } from "../world.ts";
import { tellEnding, type Ending } from "./ending.ts";
import { guardedRun, runWithGrace } from "./guarded-run.ts";
import { healthChecks } from "./health-checks.ts";
import { demandAsPlanned, type PlanFile } from "./plan-file.ts";
import type { FleetPlan, PlanRequest } from "./plan-fleet.ts";
import { hasFailed, previewFleet, type Preview } from "./preview.ts";
import { changesRefused, notConfirmed, preflightFailed } from "./run-errors.ts";
import { selectClusters } from "./select.ts";

export interface ApplyRequest extends PlanRequest {
  /** Nothing that it does not hold is done. */
  approved?: PlanFile;
  /** Asked before anything is changed; false ends the run with nothing done. */
  confirm(preview: ApprovedPlan): Promise<boolean>;
}

/** A plan that nothing speaks against. */
export type ApprovedPlan = Preview & FleetPlan;

/** Make the clusters of the file real. Safe to run again: finished work is found and kept. */
export async function applyFleet(request: ApplyRequest, outside: World): Promise<Ending> {
  const { fleet, selection } = request;
  const clusters = selectClusters(fleet, selection).map((cluster) => cluster.name);
  return guardedRun({ command: "up", fleet, clusters }, outside, async (guarded) => {
    const { startedAt, isResumed, world } = guarded;
    const planned = await preflight(request, world); // up to here nothing has been changed
    const { plan, parts } = planned;
    world.tell({ ...planEvent(plan), ...(isResumed && { resumed: plan.same.length }) });
    if (request.approved) demandAsPlanned(request.approved, fleet, plan);
    const [refusal, ...more] = plan.refused;
    if (plan.changes.length === 0 && refusal) {
      const error = refusal.error ?? errorData(changesRefused(refusal, ...more));
      return tellEnding(world, { outcome: "refused", startedAt, error });
    }
    if (plan.changes.length === 0) return tellEnding(world, { outcome: "unchanged", startedAt });
    await guarded.claim();
    if (!(await request.confirm(planned))) throw notConfirmed("the question was answered with no");
    const result = await runWithGrace(plan, parts, world);
    const isHealthy = await verify(planned, request, result, world);
    return tellEnding(world, {
      outcome: outcomeOf(result, isHealthy, world),
      startedAt,
      result,
      kept: `${result.finished.length + plan.same.length} finished steps; nothing was removed`,
      outputs: isWhole(request) ? outputsOf(planned) : {},
    });
  });
}

/** All checks run, all failures are told at once. */
async function preflight(request: PlanRequest, world: World): Promise<ApprovedPlan> {
  const { plan, ...preview } = await previewFleet(request, world);
  const failed = preview.checks.filter(hasFailed);
  if (failed.length > 0 || !plan) throw preflightFailed(failed.length, preview.checks.length);
  return { ...preview, plan };
}

/** Whether the run brings whole clusters all the way to Kubernetes. */
const isWhole = ({ selection, until }: ApplyRequest): boolean =>
  selection.node === undefined && (until === "kubernetes" || until === "addons");

/** The checklist of a cluster that went all the way; part of one has nothing to show yet. */
async function verify(
  planned: FleetPlan,
  request: ApplyRequest,
  result: RunResult,
  world: World,
): Promise<boolean> {
  if (!isWhole(request) || world.stop.aborted || result.failed.length > 0) return true;
  const checkWorld = { clock: world.clock, signal: world.stop, tell: world.tell };
  const check = async (cluster: Cluster) => {
    // Looks only: pods that try the network and the storage are for "verify".
    const wanted = { hasAddons: request.until === "addons" };
    await using health = await healthChecks(planned.parts, cluster, wanted, world);
    return await runChecklist("verify", cluster.name, health.checks, checkWorld);
  };
  try {
    const results = await Promise.all(planned.clusters.map(check));
    return results.flat().every(({ status }) => status !== "failed");
  } catch (thrown) {
    // Stopped while it only looked: all that was to be done is done.
    if (world.stop.aborted) return true;
    throw thrown;
  }
}

function outcomeOf(result: RunResult, isHealthy: boolean, world: World): "done" | "failed" | "stopped" {
  if (result.failed.length > 0 || !isHealthy) return "failed";
  return world.stop.aborted && result.stopped.length > 0 ? "stopped" : "done";
}

/** One cluster's outputs stand by name, those of several below the cluster's name. */
const outputsOf = ({ clusters, parts }: FleetPlan): Record<string, string> =>
  Object.fromEntries(
    clusters.flatMap((cluster) =>
      Object.entries({
        nodes: `${cluster.nodes.length} of ${cluster.nodes.length}`,
        ...parts.distribution.outputs(cluster),
      }).map(([name, value]) => [clusters.length === 1 ? name : `${cluster.name}.${name}`, value]),
    ),
  );
