import { runChecklist, type CheckResult } from "../../engine/index.ts";
import type { EventBody } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import type { Parts } from "../planning/assemble.ts";
import { healthChecks } from "./health-checks.ts";

/** A new etcd member learns before it votes, and a CNI restarts its agents once: real clusters are through within a minute. */
const settleMs = 120_000;
const againMs = 3_000;

/**
 * The checklist of a cluster that has just been brought up. It is told once: as soon as all of it holds, or when the cluster
 * has had its time. Looks only: pods that try the network and the storage are for "verify".
 */
export async function verifySettled(
  parts: Parts,
  cluster: Cluster,
  wanted: { hasAddons: boolean },
  world: World,
): Promise<CheckResult[]> {
  const { clock, stop, tell } = world;
  const until = clock.now() + settleMs;
  let lastSeen = "";
  for (;;) {
    const told: EventBody[] = [];
    const results = await look(parts, cluster, wanted, { ...world, tell: (event) => void told.push(event) });
    const failing = results
      .filter(({ status }) => status === "failed")
      .map(({ check }) => check.failing ?? check.title);
    if (failing.length === 0 || clock.now() >= until) {
      for (const event of told) tell(event);
      return results;
    }
    const seen = `${cluster.name} is not healthy yet: ${failing.join(", ")}; looking again`;
    if (seen !== lastSeen) tell({ type: "log", level: "info", text: seen });
    lastSeen = seen;
    await clock.sleep(againMs, stop);
  }
}

async function look(
  parts: Parts,
  cluster: Cluster,
  wanted: { hasAddons: boolean },
  world: World,
): Promise<CheckResult[]> {
  const { clock, stop, tell } = world;
  await using health = await healthChecks(parts, cluster, wanted, world);
  return await runChecklist("verify", cluster.name, health.checks, { clock, signal: stop, tell });
}
