import { runPlan } from "../engine/index.ts";
import { compareRemoval, planEvent, type OwnedMachine, type Plan, type Survey } from "../plan/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, hostsOf, readContext, type Parts } from "./assemble.ts";
import { tellEnding, type Ending } from "./ending.ts";
import { clusterProtected, dataAtRisk, notConfirmed, somethingLeft } from "./errors.ts";
import { graceMs, guardedRun } from "./guarded-run.ts";
import { selectClusters, type Selection } from "./select.ts";

export interface DestroyRequest {
  fleet: Fleet;
  selection: Selection;
  /** The user's own word that data disks may go too. */
  isDataLossAccepted: boolean;
  confirm(plan: Plan): Promise<boolean>;
}

/** Take clusters away: everything on the hosts that carries their mark, and nothing else. */
export async function destroyFleet(request: DestroyRequest, world: World): Promise<Ending> {
  const { fleet, selection } = request;
  const clusters = selectClusters(fleet, selection);
  refuseProtected(clusters);
  const names = clusters.map((cluster) => cluster.name);
  return guardedRun({ command: "down", fleet, clusters: names }, world, async ({ startedAt }) => {
    const parts = assemble(world);
    const plan = await planRemoval(request, clusters, parts, world);
    world.tell(planEvent(plan));
    if (plan.changes.length === 0) return tellEnding(world, { outcome: "unchanged", startedAt });
    if (!(await request.confirm(plan)))
      throw notConfirmed("the question was not answered with the cluster's name");
    const result = await runPlan(plan, parts.kinds, {
      clock: world.clock,
      stop: world.stop,
      graceMs,
      tell: world.tell,
    });
    const isStopped = world.stop.aborted && result.stopped.length > 0;
    if (result.failed.length === 0 && !isStopped) await proveGone(fleet, clusters, parts, world);
    return tellEnding(world, {
      outcome: result.failed.length > 0 ? "failed" : isStopped ? "stopped" : "done",
      startedAt,
      result,
      kept: names.map((name) => `secrets of ${name}`).join(", "),
    });
  });
}

function refuseProtected(clusters: Cluster[]): void {
  const guarded = clusters.find((cluster) => cluster.protect);
  if (guarded) throw clusterProtected(guarded.name, guarded.at);
}

/** What taking these clusters away would remove. Changes nothing. */
export function previewRemoval(request: Omit<DestroyRequest, "confirm">, world: World): Promise<Plan> {
  return planRemoval(request, selectClusters(request.fleet, request.selection), assemble(world), world);
}

/** Everything of these clusters that exists, as removals. */
async function planRemoval(
  request: Omit<DestroyRequest, "confirm">,
  clusters: Cluster[],
  parts: Parts,
  world: World,
): Promise<Plan> {
  const ctx = readContext(world);
  const survey = await parts.provider.survey(ctx, hostsOf(request.fleet, clusters));
  const isOurs = (machine: OwnedMachine) => clusters.some((cluster) => cluster.name === machine.cluster);
  if (!request.isDataLossAccepted) refuseDataLoss(clusters, survey);
  const keepImages = imagesOfOthers(request.fleet, clusters, survey, parts);
  return compareRemoval(parts.provider.describeLeftovers(survey, isOurs, keepImages), parts.kinds, ctx);
}

function refuseDataLoss(clusters: Cluster[], survey: Survey): void {
  for (const { name } of clusters) {
    const holders = survey.machines.filter(
      (machine) => machine.cluster === name && machine.dataDisksGiB.length > 0,
    );
    if (holders.length === 0) continue;
    const disks = holders.flatMap((machine) =>
      machine.dataDisksGiB.map((size) => `${machine.node} ${size} GiB`),
    );
    throw dataAtRisk(
      name,
      `${disks.length} data disks (${disks.slice(0, 3).join(", ")}${disks.length > 3 ? " …" : ""})`,
    );
  }
}

/** Images other clusters were made from, or will be made from, stay. */
function imagesOfOthers(fleet: Fleet, going: Cluster[], survey: Survey, parts: Parts): Set<string> {
  const isGoing = (name: string) => going.some((cluster) => cluster.name === name);
  const inUse = survey.machines
    .filter((machine) => !isGoing(machine.cluster))
    .map((machine) => machine.image);
  const staying = fleet.clusters.filter((cluster) => !isGoing(cluster.name));
  const wanted = parts.provider.imagesOf(staying);
  return new Set([...inUse, ...wanted]);
}

/** The end of a removal is seen, not assumed. */
async function proveGone(fleet: Fleet, clusters: Cluster[], parts: Parts, world: World): Promise<void> {
  const survey = await parts.provider.survey(readContext(world), hostsOf(fleet, clusters));
  const left = survey.machines.filter((machine) =>
    clusters.some((cluster) => cluster.name === machine.cluster),
  );
  if (left.length > 0) throw somethingLeft(left.map((machine) => `${machine.node} (VMID ${machine.vmid})`));
}
