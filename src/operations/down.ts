import { rm } from "node:fs/promises";
import path from "node:path";
import { runPlan } from "../engine/index.ts";
import { describeCause } from "../errors/index.ts";
import {
  compareRemoval,
  planEvent,
  type Graph,
  type Plan,
  type Survey,
  type OwnedMachine,
  type Provider,
} from "../plan/index.ts";
import type { Fleet, Cluster, Host } from "../spec/index.ts";
import type { World } from "../world/index.ts";
import { assemble, readContext, type Parts, hostsOf } from "./planning/assemble.ts";
import { unmergeKubeconfigs } from "./access/merge-kubeconfig.ts";
import { factsOf } from "./fleet/facts.ts";
import { guardedRun } from "./run/guarded-run.ts";
import { tellRunReport, type RunReport } from "./run/run-report.ts";
import { inReverse, unregisteredFirst } from "./planning/relations.ts";
import { protection } from "./planning/refusals.ts";
import { notRemovable, somethingLeft, clusterProtected, notOneNode } from "./planning/removal-errors.ts";
import { hostsUnreachable, notConfirmed } from "./planning/errors.ts";
import { type Selection, selectClusters } from "./fleet/select.ts";
import { unknownCluster } from "./fleet/errors.ts";

export interface DownRequest {
  fleet: Fleet;
  selection: Selection;
  /** The user's own word that data disks may go too. */
  isDataLossAccepted: boolean;
  confirm(removal: Removal): Promise<boolean>;
}

/** What taking clusters away would do. */
export interface Removal {
  removing: RemovalTarget;
  survey: Survey;
  plan: Plan;
  /** Data disks that are there afterwards. */
  keptDisks: number;
}

/** Take clusters away: everything on the hosts that carries their mark, and nothing else. */
export async function downFleet(request: DownRequest, outside: World): Promise<RunReport> {
  const { fleet } = request;
  const removing = await findRemovalTarget(request, outside);
  const { names: clusters } = removing;
  const again = `slipway down${clusters.length === 1 ? ` ${clusters[0]}` : ""}`;
  return guardedRun({ command: "down", again, fleet, clusters }, outside, async (guarded) => {
    const { startedAt, world } = guarded;
    const parts = assemble(world, fleet);
    const removal = await planRemoval(request, removing, parts, world); // up to here nothing has been changed
    const { plan } = removal;
    world.tell(planEvent(plan));
    if (plan.changes.length === 0)
      return tellRunReport(world, { outcome: "unchanged", startedAt, kept: leftText(removal) });
    await guarded.claim();
    if (!(await request.confirm(removal)))
      throw notConfirmed("the question was not answered with the cluster's name");
    const result = await runPlan(plan, parts.kinds, world);
    const isStopped = result.stopped.length > 0;
    if (result.failed.length === 0 && !isStopped) {
      await proveGone(removal, request, parts, world);
      await forgetAccess(removing, fleet, world);
    }
    return tellRunReport(world, {
      outcome: result.failed.length > 0 ? "failed" : isStopped ? "stopped" : "done",
      startedAt,
      result,
      kept: keptText(removal),
    });
  });
}

/** Ways into clusters that are gone lead nowhere. The secrets stay, and `up` makes them again. */
async function forgetAccess({ names, clusters }: RemovalTarget, fleet: Fleet, world: World): Promise<void> {
  for (const name of names) {
    const changed = await unmergeKubeconfigs(world.folder, name, fleet.file).catch((thrown: unknown) => {
      world.tell({ type: "log", level: "warn", text: describeCause(thrown) });
      return [];
    });
    for (const file of changed)
      world.tell({ type: "log", level: "info", text: `${name} taken out of ${file}` });
  }
  const files = clusters.flatMap((cluster) =>
    factsOf(cluster, world).accessFiles.map(({ name }) => path.join(world.folder, cluster.name, name)),
  );
  await Promise.all(files.map((file) => rm(file, { force: true })));
}

/** What taking these clusters away would remove. Changes nothing. */
export async function previewRemoval(request: Omit<DownRequest, "confirm">, world: World): Promise<Removal> {
  return planRemoval(request, await findRemovalTarget(request, world), assemble(world, request.fleet), world);
}

/** Everything of these clusters that exists, as removals. */
async function planRemoval(
  request: Omit<DownRequest, "confirm">,
  removing: RemovalTarget,
  parts: Parts,
  world: World,
): Promise<Removal> {
  const ctx = readContext(world);
  const survey = await parts.provider.survey(ctx, removing.hosts);
  if (survey.unreachable.length > 0)
    throw hostsUnreachable(`take down ${removing.names.join(", ")}`, survey.unreachable, true);
  await refuse(request, removing, survey, parts, world);
  const graph = leftovers(request, removing, survey, parts, world);
  const plan = await compareRemoval(graph, parts.kinds, readContext(world, survey));
  return { removing, survey, plan, keptDisks: keptDiskCount(removing, survey, request.isDataLossAccepted) };
}

/** Machines and what they were made from, in the order in which they can go. */
function leftovers(
  request: Omit<DownRequest, "confirm">,
  removing: RemovalTarget,
  survey: Survey,
  { provider }: Parts,
  world: World,
): Graph {
  const { fleet, isDataLossAccepted } = request;
  const staying = fleet.clusters.filter((cluster) => !removing.names.includes(cluster.name));
  const graph = provider.describeLeftovers(
    survey,
    isRemovalTarget(removing),
    imagesOfOthers(request, removing, survey, provider),
    {
      losesData: isDataLossAccepted,
      clusters: removing.names,
      areLeftovers: true,
    },
  );
  const templates = provider.describeOldBootSources(
    readContext(world),
    survey,
    { hosts: fleet.hosts, clusters: staying },
    graph,
  );
  const made = templates.map((node) => node.id);
  const all = [
    ...graph.map((node) => (node.group === "images" ? { ...node, after: [...node.after, ...made] } : node)),
    ...templates,
  ];
  return inReverse(unregisteredFirst(all, removing.clusters, fleet), removing.clusters);
}

/** All that forbids it is found before anything is touched. */
async function refuse(
  request: Omit<DownRequest, "confirm">,
  removing: RemovalTarget,
  survey: Survey,
  { provider }: Parts,
  world: World,
): Promise<void> {
  const machines = survey.machines.filter(isRemovalTarget(removing));
  const guarded = machines.flatMap((machine) => {
    const cluster = removing.clusters.find((each) => each.name === machine.cluster);
    return protection(machine, cluster) ?? [];
  });
  const held = request.isDataLossAccepted ? [] : await provider.removalBlockers(readContext(world), machines);
  const reasons = [...guarded, ...held];
  const [first] = reasons;
  if (first) throw notRemovable(removing.names, reasons.length, first);
  const losing = machines.map((machine) => ({ ...machine, keptDisks: [] }));
  const those = request.isDataLossAccepted ? losing : machines;
  await provider.demandRights(readContext(world), those, "removal");
}

/** Data disks that outlive their machines: those about to be set aside, and those set aside before. */
function keptDiskCount(removing: RemovalTarget, survey: Survey, losesData: boolean): number {
  if (losesData) return 0;
  const coming = survey.machines.filter(isRemovalTarget(removing)).flatMap((machine) => machine.keptDisks);
  return coming.length + survey.keptDisks.filter(isRemovalTarget(removing)).length;
}

/** `2 data disks, secrets of lab`. */
function keptText({ removing, keptDisks }: { removing: RemovalTarget; keptDisks: number }): string {
  const disks = keptDisks === 0 ? [] : [diskText(keptDisks)];
  return [...disks, ...removing.names.map((name) => `secrets of ${name}`)].join(", ");
}

/** What there is still to say when nothing is left to remove. */
const leftText = ({ removing, keptDisks }: { removing: RemovalTarget; keptDisks: number }): string =>
  keptDisks === 0
    ? ""
    : `${diskText(keptDisks)}; to lose them too: slipway down ${removing.names.join(" ")} --with-data`;

const diskText = (count: number): string => (count === 1 ? "1 data disk" : `${count} data disks`);

/** The end of a removal is seen, not assumed: the hosts are listed again, and whatever is left is named. */
async function proveGone(
  removal: Removal,
  request: DownRequest,
  { provider }: Parts,
  world: World,
): Promise<void> {
  const { removing, plan } = removal;
  const ctx = readContext(world);
  const survey = await provider.survey(ctx, removing.hosts);
  const removed = plan.changes.map(({ node }) => node);
  const { fleet } = request;
  const clusters = fleet.clusters.filter((cluster) => !removing.names.includes(cluster.name));
  const staying = { hosts: fleet.hosts, clusters };
  const kept = imagesOfOthers(request, removing, survey, provider);
  const left = [
    ...marked(survey, removal, request.isDataLossAccepted),
    ...strayImages(survey, removal, kept),
    ...provider.describeOldBootSources(ctx, survey, staying, []).map((node) => node.name),
    ...(await provider.findLeftovers(ctx, removing.hosts, removed)),
    ...survey.unreachable.map(({ host }) => `anything on ${host}, which does not answer`),
  ];
  if (left.length > 0) throw somethingLeft(left);
}

function marked(survey: Survey, { removing }: Removal, losesData: boolean): string[] {
  const holders = survey.keptDisksHolders.filter((holder) => losesData || holder.isEmpty);
  return [
    ...survey.machines
      .filter(isRemovalTarget(removing))
      .map(({ node, host, id }) => `machine ${node} on ${host}${vmidText(id)}`),
    ...holders.filter(isRemovalTarget(removing)).map(({ on, id }) => `kept disks on ${on}${vmidText(id)}`),
  ];
}

const vmidText = (id: number | undefined): string => (id === undefined ? "" : ` (VMID ${id})`);

/** An image whose removal the token was not allowed has been told; any other should not be there. */
function strayImages(survey: Survey, { plan }: Removal, kept: Set<string>): string[] {
  const told = new Set(plan.changes.map(({ node }) => `${node.host ?? ""}/${node.facts?.["image"] ?? ""}`));
  return survey.images
    .filter((image) => !kept.has(image.file) && !told.has(`${image.host}/${image.file}`))
    .map((image) => `image ${image.file} on ${image.host}`);
}

/** What is to be taken away: clusters of the file, or one that only its marks on the hosts still tell of. */
interface RemovalTarget {
  names: string[];
  /** Those of them that are in the file. */
  clusters: Cluster[];
  hosts: Host[];
}

/** Finds out what a removal is about, and refuses at once what the file protects. */
async function findRemovalTarget(
  { fleet, selection }: { fleet: Fleet; selection: Selection },
  world: World,
): Promise<RemovalTarget> {
  const { cluster: name, node } = selection;
  if (name !== undefined && node !== undefined) throw notOneNode(name, node);
  if (name !== undefined && !fleet.clusters.some((cluster) => cluster.name === name)) {
    await demandMarked(fleet, name, world);
    return { names: [name], clusters: [], hosts: fleet.hosts };
  }
  const clusters = selectClusters(fleet, selection);
  const guarded = clusters.find((cluster) => cluster.protect);
  if (guarded) throw clusterProtected(guarded.name, guarded.at);
  return { names: clusters.map((cluster) => cluster.name), clusters, hosts: hostsOf(fleet, clusters) };
}

/** A name that is not in the file is a mistake, unless something on the hosts carries it. */
async function demandMarked(fleet: Fleet, name: string, world: World): Promise<void> {
  const survey = await assemble(world, fleet).provider.survey(readContext(world), fleet.hosts);
  const known = fleet.clusters.map((cluster) => cluster.name);
  if (!marksIn(survey).has(name)) throw unknownCluster(name, known);
}

/** Every cluster that something on the hosts is marked with. */
export const marksIn = (survey: Survey): Set<string> =>
  new Set([...survey.machines, ...survey.keptDisksHolders].map((owned) => owned.cluster));

const isRemovalTarget =
  ({ names }: RemovalTarget) =>
  ({ cluster }: Pick<OwnedMachine, "cluster">): boolean =>
    names.includes(cluster);

/** Images other clusters were made from, or will be made from, stay. */
function imagesOfOthers(
  { fleet }: { fleet: Fleet },
  removing: RemovalTarget,
  survey: Survey,
  provider: Provider,
): Set<string> {
  const inUse = survey.machines
    .filter((machine) => !isRemovalTarget(removing)(machine))
    .map((machine) => machine.image);
  const staying = fleet.clusters.filter((cluster) => !removing.names.includes(cluster.name));
  return new Set([...inUse, ...provider.imagesOf(staying)]);
}
