import { backupAge, certificatesLive, machinesRun, planClean } from "../checks/index.ts";
import { runChecklist, type CheckResult } from "../engine/index.ts";
import type { Check } from "../plan/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { runReportOf, tellRunReport, type RunReport } from "./run/run-report.ts";
import { newestBackup } from "./backups/list-backups.ts";
import { healthChecks } from "./run/health-checks.ts";
import { compareFleet, surveyFleet, type FleetSurvey, type PlanRequest } from "./plan.ts";
import { hostsUnreachable } from "./planning/errors.ts";
import { selectClusters } from "./fleet/select.ts";

export interface VerifyRequest {
  fleet: Fleet;
  /** Names of clusters; none means all. */
  clusters: string[];
  /** Without one nothing is tried with pods: looks only. */
  probes?: { image?: string | undefined; waitMs: number } | undefined;
}

/** The checklist of a healthy cluster, stage by stage, each check with what it found. Nothing stays behind. */
export async function verifyFleet(request: VerifyRequest, world: World): Promise<RunReport> {
  const { fleet } = request;
  const startedAt = world.clock.now();
  return runReportOf(world, startedAt, async () => {
    const clusters = chosen(request);
    const names = clusters.map((cluster) => cluster.name);
    const { kind, slipway } = world;
    world.tell({ type: "run", command: "verify", clusters: names, world: kind, slipway, file: fleet.file });
    const results: CheckResult[] = [];
    for (const cluster of clusters) results.push(...(await verifyCluster(cluster, request, world)));
    const failed = results.filter(({ status }) => status === "failed").length;
    const skipped = results.filter(({ status }) => status === "skipped").length;
    return tellRunReport(world, {
      outcome: failed > 0 ? "failed" : "done",
      startedAt,
      counts: { done: results.length - failed - skipped, failed, skipped, total: results.length },
    });
  });
}

function chosen({ fleet, clusters }: VerifyRequest): Cluster[] {
  const names = clusters.length === 0 ? [undefined] : [...new Set(clusters)];
  return names.flatMap((name) => selectClusters(fleet, name === undefined ? {} : { cluster: name }));
}

async function verifyCluster(
  cluster: Cluster,
  { fleet, probes }: VerifyRequest,
  world: World,
): Promise<CheckResult[]> {
  const request: PlanRequest = {
    ...{ fleet, selection: { cluster: cluster.name }, until: "addons", acceptDataLoss: [] },
  };
  const surveyed = await surveyFleet(request, world);
  await using health = await healthChecks(surveyed.parts, cluster, { hasAddons: true, probes }, world);
  const { distribution, factsOf } = surveyed.parts;
  const certificates = certificatesLive({
    cluster: cluster.name,
    now: world.wall.now(),
    lives: async (signal) =>
      (await distribution.certificates?.(cluster, signal)) ?? { certificates: [], rotations: [] },
  });
  const checks = [
    ...hostChecks(cluster, surveyed, request, world),
    ...health.checks,
    ...(factsOf(cluster).kubernetes ? [certificates] : []),
  ];
  // Awaited here: what it tried is removed when this function is left.
  return await runChecklist("verify", cluster.name, checks, {
    ...{ clock: world.clock, signal: world.stop, tell: world.tell },
  });
}

/** What the hosts and the file say: reality is as planned, the machines run, and a backup is young enough. */
function hostChecks(cluster: Cluster, surveyed: FleetSurvey, request: PlanRequest, world: World): Check[] {
  const { survey, parts, placed } = surveyed;
  const maxAgeMs = cluster.backups?.maxAgeMs;
  return [
    planClean({
      cluster: cluster.name,
      file: request.fleet.file,
      async plan() {
        if (survey.unreachable.length > 0) throw hostsUnreachable("compare the plan", survey.unreachable);
        return compareFleet(surveyed, request, world);
      },
      statuses: () => parts.distribution.status(cluster, world.stop),
    }),
    machinesRun({ cluster, survey, placed: placed.get(cluster.name) ?? [] }),
    ...(maxAgeMs === undefined
      ? []
      : [backupAge({ cluster, newest: (signal) => newestBackup(cluster, world, signal) }, maxAgeMs)]),
  ];
}
