import {
  comparePlan,
  compareRemoval,
  type Change,
  type Graph,
  type Hindrance,
  type Plan,
  type PlacedNode,
  type ReadContext,
  type Refusal,
  type Stage,
  type Survey,
} from "../plan/index.ts";
import type { Cluster, Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, describeFleet, hostsOf, readContext, type Parts } from "./assemble.ts";
import { demandGuestFiles } from "./guest-files.ts";
import {
  canSpareControlPlanes,
  controlPlaneStays,
  dataCannotStay,
  dataWouldGo,
  machineGoing,
  protectedStays,
} from "./refusals.ts";
import { objected } from "./objections.ts";
import { hostsSilent } from "./run-errors.ts";
import { staleRegistrations } from "./relations.ts";
import { refuseTwins } from "./twins.ts";
import { withSnapshots } from "./with-snapshots.ts";
import { selectClusters, withinRequest, type Selection } from "./select.ts";

export interface PlanRequest {
  fleet: Fleet;
  selection: Selection;
  until: Stage;
  /** Nodes and add-ons whose data the user has agreed to lose. */
  acceptDataLoss: string[];
  /** A snapshot of each machine before it is changed, also where the file does not ask for it. */
  isSnapshotted?: boolean;
}

/** What the hosts hold, and where the nodes of these clusters belong. */
export interface FleetLook {
  clusters: Cluster[];
  parts: Parts;
  survey: Survey;
  placed: Map<string, PlacedNode[]>;
  graph: Graph;
}

/** What would be done to these clusters, and what it was decided on. */
export interface FleetPlan extends FleetLook {
  plan: Plan;
}

/** Compares the file with reality. Changes nothing. */
export async function planFleet(request: PlanRequest, world: World): Promise<FleetPlan> {
  const look = await lookAtFleet(request, world);
  const { silent } = look.survey;
  if (silent.length > 0) throw hostsSilent("plan", silent);
  return { ...look, plan: await compareFleet(look, request, world) };
}

/** Asks the hosts. Those that do not answer stand in the survey as silent. */
export async function lookAtFleet(request: PlanRequest, world: World): Promise<FleetLook> {
  const clusters = selectClusters(request.fleet, request.selection);
  demandGuestFiles(clusters);
  const parts = assemble(world);
  const survey = await parts.provider.survey(readContext(world), hostsOf(request.fleet, clusters));
  const { graph, placed } = await describeFleet(request.fleet, clusters, survey, parts);
  return { clusters, parts, survey, placed, graph };
}

/** The plan of a fleet whose hosts have all answered. */
export async function compareFleet(look: FleetLook, request: PlanRequest, world: World): Promise<Plan> {
  const { clusters, parts, survey, graph: wholeGraph } = look;
  const ctx = readContext(world);
  const wanted = wholeGraph.filter((node) => withinRequest(node, request.selection, request.until));
  const [twins, plan, removal] = await Promise.all([
    refuseTwins(request.fleet, look, world),
    comparePlan(wanted, parts.kinds, ctx, wholeGraph),
    leftovers(request, clusters, survey, parts, ctx).then((graph) => compareRemoval(graph, parts.kinds, ctx)),
  ]);
  const merged = mergePlans(plan, removal);
  const leaving = merged.changes.flatMap((change) => machineGoing(change, survey.machines) ?? []);
  const hindrances = await parts.provider.hindrances(ctx, leaving);
  const allowed = refuse(merged, request, { clusters, survey, hindrances, held: twins });
  return withSnapshots(allowed, look, request.isSnapshotted ?? false, world);
}

/** Machines and add-ons that carry a cluster's mark and are no longer in the file. With one node selected, none is looked at. */
async function leftovers(
  { fleet, selection, until }: PlanRequest,
  clusters: Cluster[],
  survey: Survey,
  parts: Parts,
  ctx: ReadContext,
): Promise<Graph> {
  if (selection.node !== undefined) return [];
  const wanted = new Map(
    clusters.map((cluster) => [cluster.name, new Set(cluster.nodes.map((node) => node.name))]),
  );
  const isUnwanted = (machine: { cluster: string; node: string }) =>
    wanted.get(machine.cluster)?.has(machine.node) === false;
  const allImages = new Set(survey.images.map((image) => image.file));
  const leftover = parts.provider.describeLeftovers(survey, isUnwanted, allImages, {
    losesData: false,
    clusters: clusters.map((cluster) => cluster.name),
  });
  // A control plane that stays (see refusals) is not forgotten either.
  const names = survey.machines.filter(
    (machine) =>
      isUnwanted(machine) && (machine.role === "worker" || canSpareControlPlanes(machine.cluster, clusters)),
  );
  const objects = clusters.flatMap((cluster) =>
    parts.distribution.describeLeavers(
      cluster,
      names.filter((machine) => machine.cluster === cluster.name).map((machine) => machine.node),
      (node) => parts.provider.machineStep(cluster.name, node),
    ),
  );
  const machines = afterLeaving(leftover, objects);
  const templates = parts.provider.describeOldTemplates(ctx, survey, fleet, machines);
  if (until !== "addons") return [...machines, ...templates, ...objects];
  const addons = clusters.map((each) => parts.addons.describeLeavers(ctx, each));
  const registrations = staleRegistrations(ctx, clusters, fleet, parts);
  return [
    ...machines,
    ...templates,
    ...objects,
    ...(await registrations),
    ...(await Promise.all(addons)).flat(),
  ];
}

/** A machine waits for what its node has to leave behind, unless that in turn comes after it. */
const afterLeaving = (machines: Graph, objects: Graph): Graph =>
  machines.map((machine) => {
    const first = objects.filter(
      ({ cluster, node, after }) =>
        cluster === machine.cluster && node === machine.node && !after.includes(machine.id),
    );
    return first.length === 0
      ? machine
      : { ...machine, after: [...machine.after, ...first.map(({ id }) => id)] };
  });

/** What goes, goes first: its address or number may be wanted again. */
function mergePlans(plan: Plan, removal: Plan): Plan {
  const going = removal.changes.map((change) => change.node.id);
  const changes = plan.changes.map((change): Change => {
    if (going.length === 0 || change.node.group !== "nodes" || change.action !== "create") return change;
    const clusterGoing = removal.changes.filter((other) => other.node.cluster === change.node.cluster);
    return {
      ...change,
      node: { ...change.node, after: [...change.node.after, ...clusterGoing.map((other) => other.node.id)] },
    };
  });
  return {
    ...plan,
    changes: [...removal.changes, ...changes],
    found: new Map([...removal.found, ...plan.found]),
  };
}

/** Takes out what must not be done: it stands in the plan as refused, with what would allow it. */
function refuse(
  plan: Plan,
  request: PlanRequest,
  known: { clusters: Cluster[]; survey: Survey; hindrances: Hindrance[]; held: Refusal[] },
): Plan {
  const held = [...known.held, ...objected(plan)];
  const singly = plan.changes.flatMap(
    (change) =>
      controlPlaneStays(change, known.clusters) ??
      protectedStays(change, known.survey.machines, known.clusters) ??
      dataCannotStay(change, known.hindrances) ??
      dataWouldGo(change, request.acceptDataLoss) ??
      [],
  );
  const refused = [...held, ...singly];
  const ids = new Set(refused.map((refusal) => refusal.step));
  const stuck = new Set(refused.flatMap(({ holds }) => holds ?? []));
  const isFree = ({ node }: Change): boolean => !ids.has(node.id) && !stuck.has(node.cluster);
  return { ...plan, changes: plan.changes.filter(isFree), refused };
}
