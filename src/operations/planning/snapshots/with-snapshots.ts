import type { Change, Plan, Survey } from "../../../plan/index.ts";
import type { World } from "../../../world/index.ts";
import type { Cluster } from "../../../spec/index.ts";
import { readContext, type Parts } from "../assemble.ts";
import { noSnapshots } from "./errors.ts";
import { touchedMachines, withStepsBefore } from "./steps-before.ts";

const defaultKeep = 3;

/** `slipway-20260714-093102`, in UTC; the same for all machines of one moment, so that they can be rolled back together. */
export const snapshotName = (nowMs: number): string =>
  `slipway-${new Date(nowMs).toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15)}`;

/** Puts a snapshot before the first change of every machine that is there already, where the file or the user asks for it. */
export async function withSnapshots(
  plan: Plan,
  surveyed: { clusters: Cluster[]; survey: Survey; parts: Parts },
  isAsked: boolean,
  world: World,
): Promise<Plan> {
  const { provider, kinds } = surveyed.parts;
  const clusters = surveyed.clusters.filter((cluster) => isAsked || cluster.snapshots);
  const name = snapshotName(world.clock.now());
  const touching = plan.changes.filter(isTouching);
  const touched = clusters.map((cluster) => ({
    machines: touchedMachines(surveyed.survey.machines, touching, cluster.name),
    keep: cluster.snapshots?.keep ?? defaultKeep,
  }));
  const machines = touched.flatMap((each) => each.machines);
  await provider.demandRights(readContext(world), machines, "snapshots");
  const blockers = await provider.snapshots.blockers(readContext(world), machines);
  if (blockers[0]) throw noSnapshots(blockers);
  const graph = touched.flatMap(({ machines: some, keep }) =>
    provider.snapshots.describe(some, { name, keep }),
  );
  return withStepsBefore(plan, { machines, graph }, kinds, isTouching);
}

const isTouching = ({ action }: Change): boolean => action === "update" || action === "replace";
