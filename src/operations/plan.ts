import { runChecks, type CheckResult } from "../engine/index.ts";
import {
  type Plan,
  comparePlan,
  compareRemoval,
  type Change,
  type Graph,
  type RemovalBlocker,
  type PlacedNode,
  type Refusal,
  type Stage,
  type Survey,
} from "../plan/index.ts";
import type { Cluster, Fleet, Host } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { hostsOf, assemble, readContext, type Parts } from "./planning/assemble.ts";
import { jumpChecks } from "./planning/jump-host-checks.ts";
import { gitChecks } from "./planning/secrets-in-git.ts";
import { demandGuestFiles } from "./fleet/guest-files.ts";
import {
  cannotBeSpared,
  dataCannotStay,
  dataWouldGo,
  removedMachine,
  removedNode,
  protectedStays,
} from "./planning/refusals.ts";
import { objected } from "./planning/objections.ts";
import { hostsUnreachable } from "./planning/errors.ts";
import { describeFleet } from "./planning/describe-fleet.ts";
import { leftovers } from "./planning/leftovers.ts";
import {
  missingNodes,
  withFenced,
  withoutConfused,
  withoutLostHosts,
  withoutTakenNumbers,
} from "./planning/lost-hosts.ts";
import type { LostHosts, MadeAgain, Restores } from "./planning/made-again.ts";
import { madeAnew, toldAsReplaced } from "./planning/replacement.ts";
import { refuseTwins } from "./planning/twins.ts";
import { withPodsAtRisk } from "./planning/rollout/pods-at-risk.ts";
import { withinWindows } from "./planning/rollout/windows.ts";
import { withMachineBackups } from "./planning/machine-backups/before-changes.ts";
import { findArchives, nearArchives, type FromBackup } from "./planning/machine-backups/from-backup.ts";
import { withSnapshots } from "./planning/snapshots/with-snapshots.ts";
import { selectClusters, withinRequest, type Selection } from "./fleet/select.ts";

export interface PlanRequest {
  fleet: Fleet;
  selection: Selection;
  until: Stage;
  /** Nodes and add-ons whose data the user has agreed to lose. */
  acceptDataLoss: string[];
  /** What these hosts hold, where somebody knows it already; absent: they are asked. */
  survey?: ((hosts: Host[]) => Promise<Survey>) | undefined;
  /** Nodes that are made again, as `cluster/node`: what they leave behind goes first. */
  replaces?: readonly string[];
  /** Hosts that somebody says are lost: their nodes are made again elsewhere. */
  lostHosts?: readonly string[] | undefined;
  /** A cluster that is restored; its database comes from a backup, unless it is back already. */
  restores?: Restores;
  /** Changes that take nodes away are made at any time, whatever window the file gives them. */
  isOutsideWindow?: boolean | undefined;
  /** A snapshot of each machine before it is changed, also where the file does not ask for it. */
  isSnapshotted?: boolean;
  /** Where machines are backed up before they are interrupted or removed; absent: where the file says, if it does. */
  backupStorage?: string | undefined;
  /** One of the nodes that are made again comes from a backup of its machine. */
  fromBackup?: FromBackup | undefined;
}

/** What the hosts hold, and where the nodes of these clusters belong. */
export interface FleetSurvey {
  clusters: Cluster[];
  parts: Parts;
  survey: Survey;
  placed: Map<string, PlacedNode[]>;
  graph: Graph;
  again: MadeAgain;
}

/** What would be done to these clusters, and what it was decided on. */
export interface FleetPlan extends FleetSurvey {
  plan: Plan;
}

/** The preflight beside it. */
export interface Preview extends FleetSurvey {
  checks: CheckResult[];
  /** Absent when a check has failed on what a plan would be made from: a host is unreachable, a storage missing. */
  plan?: Plan;
}

/** The preflight of a fleet and its plan, side by side. Changes nothing. */
export async function previewFleet(request: PlanRequest, world: World): Promise<Preview> {
  const surveyed = await surveyFleet(request, world);
  const [checks, compared] = await Promise.all([
    preflightChecks(request.fleet, surveyed, world),
    // Machines may stand on a host that is unreachable, and would be planned a second time.
    surveyed.survey.unreachable.length > 0 ? undefined : outcomeOf(compareFleet(surveyed, request, world)),
  ]);
  if (!compared) return { ...surveyed, checks };
  if ("plan" in compared) return { ...surveyed, checks, plan: compared.plan };
  if (!checks.some(hasFailed)) throw compared.thrown;
  return { ...surveyed, checks };
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

const existingIn = ({ machines }: FleetSurvey["survey"], { name }: Cluster): string[] =>
  machines.filter(({ cluster }) => cluster === name).map(({ node }) => node);

async function preflightChecks(fleet: Fleet, surveyed: FleetSurvey, world: World): Promise<CheckResult[]> {
  const { clusters, parts, placed, survey } = surveyed;
  const checkWorld = { clock: world.clock, signal: world.stop, tell: world.tell };
  const inGit = await gitChecks(fleet, world);
  const results = clusters.map((cluster, index) => {
    const checks = [
      ...(index === 0 ? inGit : []),
      ...jumpChecks(cluster, hostsOf(fleet, [cluster]), world),
      ...parts.provider.preflight(cluster, placed.get(cluster.name) ?? [], survey, placed),
      ...parts.distribution.preflight(cluster, existingIn(survey, cluster)),
      ...parts.addons.preflight(cluster, surveyed.graph),
    ];
    return runChecks("preflight", cluster.name, checks, checkWorld);
  });
  return (await Promise.all(results)).flat();
}

/** Compares the file with reality. Changes nothing. */
export async function planFleet(request: PlanRequest, world: World): Promise<FleetPlan> {
  const surveyed = await surveyFleet(request, world);
  const { unreachable } = surveyed.survey;
  if (unreachable.length > 0) throw hostsUnreachable("plan", unreachable);
  return { ...surveyed, plan: await compareFleet(surveyed, request, world) };
}

/** Asks the hosts. Those that do not answer stand in the survey as unreachable. */
export async function surveyFleet(request: PlanRequest, world: World): Promise<FleetSurvey> {
  const lost: LostHosts = new Set(request.lostHosts);
  const selected = selectClusters(request.fleet, request.selection);
  demandGuestFiles(selected);
  const wanted = withoutLostHosts(request.fleet, selected, lost);
  const parts = assemble(world, request.fleet);
  const hosts = hostsOf(request.fleet, wanted);
  const found = await (request.survey?.(hosts) ?? parts.provider.survey(readContext(world), hosts));
  const survey = withFenced(found);
  const missing = lost.size === 0 ? [] : missingNodes(wanted, survey);
  const { restores } = request;
  const archives = await findArchives(readContext(world), request.fromBackup, wanted, survey, parts, lost);
  const replaced = new Set([...(request.replaces ?? []), ...missing]);
  const again = { replaced, lost, restores, archives };
  const clusters = nearArchives(withoutTakenNumbers(wanted, survey, replaced), archives);
  const { graph, placed } = await describeFleet(request.fleet, clusters, survey, parts, again);
  return { clusters, parts, survey, placed, graph, again };
}

/** The plan of a fleet whose hosts have all answered. */
export async function compareFleet(surveyed: FleetSurvey, request: PlanRequest, world: World): Promise<Plan> {
  const { parts, survey, graph: wholeGraph } = surveyed;
  const ctx = readContext(world, survey);
  const wanted = wholeGraph.filter((node) => withinRequest(node, request.selection, request.until));
  const [twins, plan, removal] = await Promise.all([
    refuseTwins(request.fleet, surveyed, world, surveyed.again),
    comparePlan(wanted, parts.kinds, ctx, wholeGraph),
    leftovers(request, surveyed, ctx).then((graph) => compareRemoval(graph, parts.kinds, ctx)),
  ]);
  const merged = mergePlans(
    madeAnew(plan, wanted, parts.kinds, surveyed.again.replaced),
    toldAsReplaced(removal),
  );
  const seen = withoutConfused(merged, survey);
  const leftoverMachines = seen.changes.flatMap((change) => removedMachine(change, survey.machines) ?? []);
  const removalBlockers = await parts.provider.removalBlockers(ctx, leftoverMachines);
  const allowed = refuse(seen, request, { ...surveyed, removalBlockers, held: twins });
  const timely = request.isOutsideWindow
    ? allowed
    : withinWindows(allowed, surveyed.clusters, world.clock.now());
  const told = await withPodsAtRisk(timely, surveyed.clusters, parts, ctx);
  const snapshotted = await withSnapshots(told, surveyed, request.isSnapshotted ?? false, world);
  return withMachineBackups(snapshotted, surveyed, request.backupStorage, world);
}

/**
 * What goes, goes first: its address or number may be wanted again, and it may have to be reached once more. Control
 * planes change when those that leave are out: two of them away at a time may be too many.
 */
function mergePlans(plan: Plan, removal: Plan): Plan {
  const removing = removal.changes.map((change) => change.node.id);
  const changes = plan.changes.map((change): Change => {
    const { group, role, afterRemovals } = change.node;
    const waits =
      afterRemovals || (group === "nodes" && (change.action === "create" || role === "control-plane"));
    if (removing.length === 0 || !waits) return change;
    const clusterRemovals = removal.changes.filter((other) => other.node.cluster === change.node.cluster);
    return {
      ...change,
      node: {
        ...change.node,
        after: [...change.node.after, ...clusterRemovals.map((other) => other.node.id)],
      },
    };
  });
  return {
    ...plan,
    changes: [...removal.changes, ...changes],
    found: { ...removal.found, ...plan.found },
  };
}

/** Takes out what must not be done: it stands in the plan as refused, with what would allow it. */
function refuse(
  plan: Plan,
  request: PlanRequest,
  known: FleetSurvey & { removalBlockers: RemovalBlocker[]; held: Refusal[] },
): Plan {
  const held = [...known.held, ...objected(plan)];
  const singly = plan.changes.flatMap(
    (change) =>
      cannotBeSpared(change) ??
      protectedStays(change, known.survey.machines, known.clusters) ??
      dataCannotStay(change, known.removalBlockers) ??
      dataWouldGo(change, request.acceptDataLoss) ??
      [],
  );
  const refused = [...held, ...singly];
  const ids = new Set(refused.map((refusal) => refusal.step));
  const stuck = new Set(refused.flatMap(({ holds }) => holds ?? []));
  const stays = new Set(plan.changes.filter((change) => ids.has(change.node.id)).flatMap(removedNode));
  const isOfStaying = ({ node }: Change): boolean => stays.has(`${node.cluster}/${node.node ?? ""}`);
  const notMade = new Set(plan.changes.filter(isOfStaying).map(({ node }) => node.id));
  // What nobody makes again need not be waited for.
  const waitsInVain = ({ node }: Change): boolean =>
    node.comesByItself === true && node.after.some((before) => notMade.has(before));
  const isFree = (change: Change): boolean =>
    !ids.has(change.node.id) &&
    !stuck.has(change.node.cluster) &&
    !isOfStaying(change) &&
    !waitsInVain(change);
  return { ...plan, changes: plan.changes.filter(isFree), refused };
}
