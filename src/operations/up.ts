import { runPlan, type RunResult } from "../engine/index.ts";
import { errorData, type ErrorData } from "../errors/index.ts";
import { given } from "../lib/index.ts";
import { planEvent, type Change, type Outcome, type Refusal } from "../plan/index.ts";
import type { Cluster } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { guardedRun } from "./run/guarded-run.ts";
import { tellRunReport, type RunReport } from "./run/run-report.ts";
import { verifySettled } from "./run/health-checks.ts";
import { demandAsPlanned, type PlanFile } from "./planning/plan-file.ts";
import { type FleetPlan, type PlanRequest, hasFailed, previewFleet, type Preview } from "./plan.ts";
import { changesRefused, notConfirmed, preflightFailed } from "./planning/errors.ts";
import { closedNow, waitingError } from "./planning/rollout/windows.ts";
import { selectClusters } from "./fleet/select.ts";

export interface UpRequest extends PlanRequest {
  /** Nothing that it does not hold is done. */
  approved?: PlanFile | undefined;
  /** What is typed to go on with it where it ends too early, by the backups it was decided on. Left out: `up`. */
  again?: ((archives: ReadonlyMap<string, { archive: string }>) => string) | undefined;
  /** Asked before anything is changed; false ends the run with nothing done. */
  confirm(preview: ApprovedPlan): Promise<boolean>;
}

/** A plan that nothing speaks against. */
export type ApprovedPlan = Preview & FleetPlan;

/** Make the clusters of the file real. Safe to run again: finished work is found and kept. */
export async function upFleet(request: UpRequest, outside: World): Promise<RunReport> {
  const { fleet, selection } = request;
  const clusters = selectClusters(fleet, selection).map((cluster) => cluster.name);
  const command = request.restores ? "restore" : request.replaces ? "replace" : "up";
  const run = { command, fleet, clusters, again: request.again?.(new Map()) };
  return guardedRun(run, outside, async (guarded) => {
    const { startedAt, isResumed, world } = guarded;
    const planned = await preflight(request, world); // up to here nothing has been changed
    const { plan, parts } = planned;
    const again = request.again?.(planned.again.archives ?? new Map());
    world.tell({ ...planEvent(plan), resumed: isResumed ? plan.same.length : undefined, again });
    if (request.approved) demandAsPlanned(request.approved, fleet, plan);
    const error = refusalOf(plan.refused);
    const waiting = plan.changes.filter(({ waits }) => waits !== undefined);
    const due = plan.changes.filter(({ waits }) => waits === undefined);
    if (due.length === 0)
      return tellRunReport(world, { startedAt, ...endingOf("unchanged", error, planned, waiting, world) });
    await guarded.claim();
    if (!(await request.confirm(planned))) throw notConfirmed("the question was answered with no");
    const closed = request.isOutsideWindow ? undefined : closedNow(planned.clusters, () => world.clock.now());
    const result = await runPlan({ ...plan, changes: due }, parts.kinds, { ...world, ...given({ closed }) });
    const left = [...waiting, ...due.filter(({ node }) => result.held.includes(node.id))];
    const isHealthy = await verify(planned, request, result, left, world);
    const outcome = outcomeOf(result, isHealthy);
    return tellRunReport(world, {
      ...endingOf(outcome, error, planned, left, world),
      startedAt,
      result,
      kept: `${result.finished.length + plan.same.length} finished steps; ${again === undefined ? "nothing was removed" : `${again} goes on`}`,
      outputs: { ...(isWhole(request) && outputsOf(planned)), ...archivesIn(result) },
    });
  });
}

/** All else that was asked for is done by now; who reads only the exit code must not take it for everything. */
function endingOf(
  outcome: "unchanged" | "done" | "failed" | "stopped",
  refused: ErrorData | undefined,
  { clusters }: FleetPlan,
  left: Change[],
  world: World,
): { outcome: Outcome; error?: ErrorData | undefined } {
  if (outcome === "failed" || outcome === "stopped") return { outcome };
  if (refused) return { outcome: "refused", error: refused };
  const waits = waitingError(clusters, left, world.clock.now());
  return left.length > 0 ? { outcome: "waiting", error: waits && errorData(waits) } : { outcome };
}

/** In one error what the plan leaves out. */
function refusalOf([first, ...more]: Refusal[]): ErrorData | undefined {
  return first && (first.error ?? errorData(changesRefused(first, ...more)));
}

/** All checks run, all failures are told at once. */
async function preflight(request: PlanRequest, world: World): Promise<ApprovedPlan> {
  const { plan, ...preview } = await previewFleet(request, world);
  const failed = preview.checks.filter(hasFailed);
  if (failed.length > 0 || !plan) throw preflightFailed(failed.length, preview.checks.length);
  return { ...preview, plan };
}

/** Whether the run brings whole clusters all the way to Kubernetes. */
const isWhole = ({ selection, until }: UpRequest): boolean =>
  selection.node === undefined && (until === "kubernetes" || until === "addons");

/** The checklist of a cluster that went all the way; part of one has nothing to show yet. */
async function verify(
  planned: FleetPlan,
  request: UpRequest,
  result: RunResult,
  left: readonly Change[],
  world: World,
): Promise<boolean> {
  if (!isWhole(request) || world.stop.aborted || isCut(result)) return true;
  const wanted = { hasAddons: request.until === "addons" };
  const check = (cluster: Cluster) => verifySettled(planned.parts, cluster, wanted, world);
  try {
    const results = await Promise.all(planned.clusters.filter(isAsAsked(planned, left)).map(check));
    return results.flat().every(({ status }) => status !== "failed");
  } catch (thrown) {
    // Stopped while it only looked: all that was to be done is done.
    if (world.stop.aborted) return true;
    throw thrown;
  }
}

/** Of a cluster that was left alone because it cannot become what the file says, this is not expected. */
const isAsAsked =
  ({ plan: { changes, refused } }: FleetPlan, left: readonly Change[]) =>
  ({ name }: Cluster): boolean =>
    !left.some(({ node }) => node.cluster === name) &&
    (changes.some(({ node }) => node.cluster === name) ||
      !refused.some(({ step }) => step.startsWith(`${name}/`)));

const isCut = ({ failed, stopped }: RunResult): boolean => failed.length > 0 || stopped.length > 0;

function outcomeOf(result: RunResult, isHealthy: boolean): "done" | "failed" | "stopped" {
  if (result.failed.length > 0 || !isHealthy) return "failed";
  return result.stopped.length > 0 ? "stopped" : "done";
}

/** `backup of lab/worker-1`, and what Proxmox knows it by. */
const archivesIn = ({ finished }: RunResult): Record<string, string> =>
  Object.fromEntries(
    finished.flatMap(({ step, out }) =>
      out?.["archive"] === undefined
        ? []
        : [[`backup of ${step.replace("/backup/", "/")}`, String(out["archive"])]],
    ),
  );

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
