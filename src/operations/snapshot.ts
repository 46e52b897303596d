import { runPlan } from "../engine/index.ts";
import { SlipwayError } from "../errors/index.ts";
import {
  compareRemoval,
  comparePlan,
  type MachineSnapshot,
  type OwnedMachine,
  type Plan,
} from "../plan/index.ts";
import type { Fleet } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { readContext, type Parts } from "./planning/assemble.ts";
import { whileLocked } from "./run/guarded-run.ts";
import { notConfirmed } from "./planning/errors.ts";
import { surveyMachines } from "./planning/survey-machines.ts";
import { selectClusters, type Selection } from "./fleet/select.ts";
import { noSnapshots, partOfEtcd, snapshotForeign, snapshotMissing } from "./planning/snapshots/errors.ts";
import { snapshotName } from "./planning/snapshots/with-snapshots.ts";

export interface SnapshotRequest {
  fleet: Fleet;
  selection: Selection;
}

/** What was done to which nodes. */
export interface SnapshotReport {
  name: string;
  nodes: { cluster: string; node: string }[];
}

/** Every snapshot of these machines, also those that Slipway did not take. */
export async function listFleetSnapshots(request: SnapshotRequest, world: World): Promise<MachineSnapshot[]> {
  const { parts, machines } = await surveyMachines(request, "list snapshots", world);
  return parts.provider.snapshots.list(readContext(world), machines);
}

/** A snapshot of each of these machines, all under one name. Nothing expires. */
export function takeSnapshots(request: SnapshotRequest, world: World): Promise<SnapshotReport> {
  const name = snapshotName(world.clock.now());
  return locked(request, "snapshot", world, async () => {
    const { parts, machines } = await surveyMachines(request, "take snapshots", world);
    const ctx = readContext(world);
    await parts.provider.demandRights(ctx, machines, "snapshots");
    const blockers = await parts.provider.snapshots.blockers(ctx, machines);
    if (blockers[0]) throw noSnapshots(blockers);
    const graph = parts.provider.snapshots.describe(machines, { name });
    await carryOut(await comparePlan(graph, parts.kinds, ctx), parts, world);
    return report(name, machines);
  });
}

/** Takes snapshots of ours away. */
export function removeSnapshots(
  request: SnapshotRequest & { name: string },
  world: World,
): Promise<SnapshotReport> {
  return locked(request, "snapshot remove", world, async () => {
    const { parts, machines, name } = await holders(request, "remove a snapshot", world);
    await parts.provider.demandRights(readContext(world), machines, "snapshots");
    const graph = parts.provider.snapshots.describe(machines, { name });
    await carryOut(await compareRemoval(graph, parts.kinds, readContext(world)), parts, world);
    return report(name, machines);
  });
}

export interface RollbackRequest extends SnapshotRequest {
  name: string;
  /** The user's own word that one control plane may go back without the others. */
  isForced: boolean;
  confirm(machines: OwnedMachine[]): Promise<boolean>;
}

/** Stops machines, rolls their disks back, starts them. What was written since is lost. */
export function rollBackMachines(request: RollbackRequest, world: World): Promise<SnapshotReport> {
  return locked(request, "snapshot rollback", world, async () => {
    const { parts, machines, all, name } = await holders(request, "roll back", world);
    if (!request.isForced) demandWholeEtcd(machines, all, name);
    await parts.provider.demandRights(readContext(world), machines, "rollback");
    if (!(await request.confirm(machines))) throw notConfirmed("the question was not answered with the name");
    const graph = parts.provider.snapshots.describeRollback(machines, name);
    await carryOut(await comparePlan(graph, parts.kinds, readContext(world)), parts, world);
    return report(name, machines);
  });
}

/** Members of etcd that remember different pasts do not agree any more: all of them go back, or none. */
function demandWholeEtcd(going: OwnedMachine[], all: OwnedMachine[], name: string): void {
  const members = all.filter((machine) => machine.role === "control-plane");
  const isGoing = (machine: OwnedMachine) => going.includes(machine);
  const staying = members.filter((machine) => !isGoing(machine));
  const back = members.filter(isGoing);
  if (back.length === 0 || staying.length === 0) return;
  const names = (machines: OwnedMachine[]) => machines.map((machine) => machine.node);
  throw partOfEtcd({ cluster: members[0]?.cluster ?? "", going: names(back), staying: names(staying), name });
}

/** The selected machines that have the snapshot, which must be one of ours. */
async function holders(request: SnapshotRequest & { name: string }, doing: string, world: World) {
  const { name } = request;
  const { parts, machines, all } = await surveyMachines(request, doing, world);
  const snapshots = await parts.provider.snapshots.list(readContext(world), machines);
  const found = snapshots.filter((snapshot) => snapshot.name === name);
  if (found.length === 0) throw snapshotMissing(name, [...new Set(snapshots.map((each) => each.name))]);
  if (found.some((snapshot) => !snapshot.isOurs)) throw snapshotForeign(name);
  const has = (machine: OwnedMachine) =>
    found.some((snapshot) => snapshot.node === machine.node && snapshot.cluster === machine.cluster);
  return { parts, name, all, machines: machines.filter(has) };
}

async function carryOut(plan: Plan, parts: Parts, world: World): Promise<void> {
  const result = await runPlan(plan, parts.kinds, world);
  const [failure] = result.failed;
  if (failure) throw new SlipwayError(failure.error);
  world.stop.throwIfAborted();
}

/** Alone on the clusters, as any run that changes something. */
const locked = <T>(
  { fleet, selection }: SnapshotRequest,
  command: string,
  world: World,
  work: () => Promise<T>,
): Promise<T> => {
  const clusters = selectClusters(fleet, selection).map(({ name }) => name);
  return whileLocked({ command, fleet, clusters }, world, work);
};

const report = (name: string, machines: OwnedMachine[]): SnapshotReport => ({
  name,
  nodes: machines.map(({ cluster, node }) => ({ cluster, node })),
});
