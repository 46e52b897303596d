import { runChecks, type CheckResult } from "../engine/index.ts";
import type { World } from "../world.ts";
import { planFleet, type FleetPlan, type PlanRequest } from "./plan-fleet.ts";

export interface Preview extends FleetPlan {
  checks: CheckResult[];
}

/** The plan and the preflight of a fleet. Changes nothing. */
export async function previewFleet(request: PlanRequest, world: World): Promise<Preview> {
  const planned = await planFleet(request, world);
  return { ...planned, checks: await preflightChecks(planned, world) };
}

export async function preflightChecks(planned: FleetPlan, world: World): Promise<CheckResult[]> {
  const { clusters, parts, placed, survey } = planned;
  const checkWorld = { clock: world.clock, signal: world.stop, tell: world.tell };
  const results = clusters.map((cluster) => {
    const checks = parts.provider.preflight(cluster, placed.get(cluster.name) ?? [], survey);
    return runChecks("preflight", cluster.name, checks, checkWorld);
  });
  return (await Promise.all(results)).flat();
}
