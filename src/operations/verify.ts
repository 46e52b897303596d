import { machinesRun, planClean } from "../checks/index.ts";
import { runChecklist, type CheckResult } from "../engine/index.ts";
import type { Check } from "../plan/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { endingOf, tellEnding, type Ending } from "./ending.ts";
import { healthChecks } from "./health-checks.ts";
import { compareFleet, lookAtFleet, type FleetLook, type PlanRequest } from "./plan-fleet.ts";
import { hostsSilent } from "./run-errors.ts";
import { selectClusters } from "./select.ts";

export interface VerifyRequest {
  fleet: Fleet;
  /** Names of clusters; none means all. */
  clusters: string[];
  /** Without one nothing is tried with pods: looks only. */
  probes?: { image?: string; waitMs: number };
}

/** The checklist of a healthy cluster, stage by stage, each check with what it found. Nothing stays behind. */
export async function verifyFleet(request: VerifyRequest, world: World): Promise<Ending> {
  const { fleet } = request;
  const startedAt = world.clock.now();
  return endingOf(world, startedAt, async () => {
    const clusters = chosen(request);
    const names = clusters.map((cluster) => cluster.name);
    const { kind, slipway } = world;
    world.tell({ type: "run", command: "verify", clusters: names, world: kind, slipway, file: fleet.file });
    const results: CheckResult[] = [];
    for (const cluster of clusters) results.push(...(await verifyCluster(cluster, request, world)));
    const failed = results.filter(({ status }) => status === "failed").length;
    const skipped = results.filter(({ status }) => status === "skipped").length;
    return tellEnding(world, {
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
  const look = await lookAtFleet(request, world);
  await using health = await healthChecks(
    look.parts,
    cluster,
    { hasAddons: true, ...(probes && { probes }) },
    world,
  );
  const checks = [...hostChecks(cluster, look, request, world), ...health.checks];
  // Awaited here: what it tried is removed when this function is left.
  return await runChecklist("verify", cluster.name, checks, {
    ...{ clock: world.clock, signal: world.stop, tell: world.tell },
  });
}

/** What the hosts and the file say: reality is as planned, and the machines run. */
function hostChecks(cluster: Cluster, look: FleetLook, request: PlanRequest, world: World): Check[] {
  const { survey, parts, placed } = look;
  return [
    planClean({
      cluster: cluster.name,
      file: request.fleet.file,
      async plan() {
        if (survey.silent.length > 0) throw hostsSilent("compare the plan", survey.silent);
        return compareFleet(look, request, world);
      },
      looks: () => parts.distribution.look(cluster, world.stop),
    }),
    machinesRun({ cluster, survey, placed: placed.get(cluster.name) ?? [] }),
  ];
}
