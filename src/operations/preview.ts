import { runChecks, type CheckResult } from "../engine/index.ts";
import type { Plan } from "../plan/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { hostsOf } from "./assemble.ts";
import { jumpChecks } from "./jump-checks.ts";
import { gitChecks } from "./secrets-in-git.ts";
import { compareFleet, lookAtFleet, type FleetLook, type PlanRequest } from "./plan-fleet.ts";

export interface Preview extends FleetLook {
  checks: CheckResult[];
  /** Absent when a check has failed on what a plan would be made from: a host is silent, a storage missing. */
  plan?: Plan;
}

/** The preflight of a fleet and its plan, side by side. Changes nothing. */
export async function previewFleet(request: PlanRequest, world: World): Promise<Preview> {
  const look = await lookAtFleet(request, world);
  const [checks, compared] = await Promise.all([
    preflightChecks(request.fleet, look, world),
    // Machines may stand on a host that is silent, and would be planned a second time.
    look.survey.silent.length > 0 ? undefined : outcomeOf(compareFleet(look, request, world)),
  ]);
  if (!compared) return { ...look, checks };
  if ("plan" in compared) return { ...look, checks, plan: compared.plan };
  if (!checks.some(hasFailed)) throw compared.thrown;
  return { ...look, checks };
}

export const hasFailed = (check: CheckResult): boolean => check.status === "failed";

/** A check that names the cause says more than whatever broke because of it. */
async function outcomeOf(work: Promise<Plan>): Promise<{ plan: Plan } | { thrown: unknown }> {
  try {
    return { plan: await work };
  } catch (thrown) {
    return { thrown };
  }
}

const existingIn = ({ machines }: FleetLook["survey"], { name }: Cluster): string[] =>
  machines.filter(({ cluster }) => cluster === name).map(({ node }) => node);

async function preflightChecks(fleet: Fleet, look: FleetLook, world: World): Promise<CheckResult[]> {
  const { clusters, parts, placed, survey } = look;
  const checkWorld = { clock: world.clock, signal: world.stop, tell: world.tell };
  const inGit = await gitChecks(fleet, world);
  const results = clusters.map((cluster, index) => {
    const checks = [
      ...(index === 0 ? inGit : []),
      ...jumpChecks(cluster, hostsOf(fleet, [cluster]), world),
      ...parts.provider.preflight(cluster, placed.get(cluster.name) ?? [], survey, placed),
      ...parts.distribution.preflight(cluster, existingIn(survey, cluster)),
      ...parts.addons.preflight(cluster, look.graph),
    ];
    return runChecks("preflight", cluster.name, checks, checkWorld);
  });
  return (await Promise.all(results)).flat();
}
