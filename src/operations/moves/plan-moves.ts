import {
  comparePlan,
  isOnHost,
  type Graph,
  type Move,
  type MoveOutlook,
  type Moves,
  type OwnedMachine,
  type Plan,
  type StayingGuest,
  type StepId,
  type Survey,
} from "../../plan/index.ts";
import { nodeNameOf, type Cluster, type Fleet, type Host } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { unknownHost } from "../fleet/errors.ts";
import { assemble, readContext, type Parts } from "../planning/assemble.ts";
import { cannotMove, etcdNotWhole, hostAway, movesBlocked } from "./errors.ts";

/** What is to be done to which host, as a person says it. */
export interface MoveRequest {
  fleet: Fleet;
  host: string;
  confirm(planned: PlannedMoves): Promise<boolean>;
}

/** Which machines go where, and what a person should know before. Nothing has been changed for it. */
export interface PlannedMoves {
  verb: "evacuate" | "return";
  host: Host;
  moves: Move[];
  /** What stays on the host: machines of others, and of other files. */
  staying: StayingGuest[];
  /** What is not as it should be while things stand like this. */
  warnings: string[];
  plan: Plan;
}

/** All that deciding about moves needs to know. */
export interface MoveFacts {
  verb: PlannedMoves["verb"];
  host: Host;
  fleet: Fleet;
  parts: Parts;
  survey: Survey;
  means: Moves;
  world: World;
}

/** Workers that leave or come at the same time: they share the network of one host. */
const workersAtOnce = 2;

export const doingOf = ({ verb, host }: Pick<MoveFacts, "verb" | "host">): string => `${verb} ${host.name}`;

/** Looks at the host and all that machines could move to or come from. */
export async function lookForMoves(
  verb: PlannedMoves["verb"],
  { fleet, host: name }: Pick<MoveRequest, "fleet" | "host">,
  world: World,
): Promise<MoveFacts> {
  const host = fleet.hosts.find((each) => each.name === name);
  if (!host)
    throw unknownHost(
      name,
      fleet.hosts.map((each) => each.name),
    );
  const parts = assemble(world, fleet);
  const means = parts.provider.movesOf(host);
  if (!means) throw cannotMove({ host: name, doing: `${verb} ${name}` });
  const kin = fleet.hosts.filter((each) => each.provider === host.provider);
  const survey = await parts.provider.survey(readContext(world), kin);
  const away = survey.unreachable.find((each) => each.host === name)?.error;
  if (away) throw hostAway({ host: name, doing: `${verb} ${name}`, why: away.why, next: away.next });
  return { verb, host, fleet, parts, survey, world, means };
}

/** The file knows the machine, and its cluster names the host. */
export const isOurs = (
  { fleet, host }: { fleet: Pick<Fleet, "clusters">; host: Pick<Host, "name"> },
  machine: OwnedMachine,
): boolean =>
  fleet.clusters.some(
    ({ name, on, nodes }) =>
      name === machine.cluster && on.includes(host.name) && nodes.some((node) => node.name === machine.node),
  );

/** How they could move. Whether we may move them is asked first: without the right, nobody says how. */
export async function outlooksOf(
  { parts, survey, means, world }: MoveFacts,
  machines: OwnedMachine[],
  hosts: Host[],
): Promise<MoveOutlook[]> {
  const ctx = readContext(world, survey);
  await parts.provider.demandRights(ctx, machines, "moves");
  return means.outlook(ctx, machines, hosts, survey);
}

/** Machines of Slipway that stay, because this file does not put them there. */
export const strangersOn = (known: MoveFacts): StayingGuest[] =>
  known.survey.machines
    .filter((machine) => isOnHost(machine, known.host) && !isOurs(known, machine))
    .map(({ cluster, node, id, isRunning }) => ({
      name: `${cluster}/${node}`,
      id,
      kind: "machine",
      isRunning,
    }));

/** All reasons at once, before anything moves. */
export function demandMovable(known: MoveFacts, outlooks: MoveOutlook[]): void {
  const blocked = outlooks.flatMap(({ machine, blockers }) => blockers.map((each) => ({ machine, ...each })));
  const [first] = blocked;
  if (!first) return;
  throw movesBlocked({
    doing: doingOf(known),
    reasons: blocked.map(({ machine, why }) => `${machine.node}: ${why}`),
    next: first.next,
  });
}

/** A control plane leaves its place only while all others hold etcd together. */
export async function demandWholeEtcd(known: MoveFacts, moves: Move[]): Promise<void> {
  for (const cluster of clustersOf(known.fleet, moves)) {
    const moving = moves.filter(({ outlook: { machine } }) => isControlPlaneOf(cluster, machine));
    if (moving.length === 0) continue;
    const returning = new Set(
      moving.filter(({ outlook }) => outlook.way === "resumes").map(({ outlook }) => outlook.machine.node),
    );
    const missing = await missingControlPlanes(known, cluster, returning);
    if (missing.length === 0) continue;
    throw etcdNotWhole({
      doing: doingOf(known),
      cluster: cluster.name,
      moving: moving.map(({ outlook }) => outlook.machine.node),
      missing,
    });
  }
}

/** One that has just been given something is waited for; one that these moves bring back is not. */
const patience = { ms: 30_000, everyMs: 2_000 };

async function missingControlPlanes(
  { parts, world }: MoveFacts,
  cluster: Cluster,
  returning: ReadonlySet<string>,
): Promise<string[]> {
  const until = world.clock.now() + patience.ms;
  const all = cluster.nodes.filter(({ role }) => role === "control-plane").map(({ name }) => name);
  for (;;) {
    const healthy = await parts.distribution.healthyNodes(cluster);
    const missing = all.filter((name) => !healthy.has(name) && !returning.has(name));
    // A cluster of which nothing works has not begun, or has nothing to lose.
    if (missing.length === 0 || all.every((name) => !healthy.has(name))) return [];
    if (world.clock.now() >= until) return missing;
    await world.clock.sleep(patience.everyMs, world.stop);
  }
}

const isControlPlaneOf = ({ name }: Cluster, { cluster, role }: OwnedMachine): boolean =>
  cluster === name && role === "control-plane";

export const clustersOf = ({ clusters }: Fleet, moves: Move[]): Cluster[] =>
  clusters.filter(({ name }) => moves.some(({ outlook }) => outlook.machine.cluster === name));

/**
 * The steps in their order: workers a few at a time, then control planes one by one, the leader of etcd last. Those that are away
 * since an earlier run come first among their like.
 */
export async function planSteps(
  { fleet, parts, survey, means, world }: MoveFacts,
  moves: Move[],
  following: Graph,
): Promise<Plan> {
  const graph = means.describe(moves);
  const away = new Set(
    moves
      .filter(({ outlook }) => outlook.way === "resumes")
      .map(({ outlook: { machine } }) => `${machine.cluster}/${machine.node}`),
  );
  const isAway = ({ cluster, node }: Graph[number]): boolean => away.has(`${cluster}/${node}`);
  const awayFirst = graph.toSorted((a, b) => Number(isAway(b)) - Number(isAway(a)));
  const workers = awayFirst.filter(({ role }) => role !== "control-plane");
  const controlPlanes = awayFirst.filter(({ role }) => role === "control-plane");
  const leaders = new Map(
    await Promise.all(
      clustersOf(fleet, moves).map(
        async (cluster) => [cluster.name, await parts.distribution.leader?.(cluster)] as const,
      ),
    ),
  );
  const isLeader = ({ cluster, node }: Graph[number]): boolean => leaders.get(cluster) === node;
  const batches = [
    ...inBatches(workers, workersAtOnce),
    ...controlPlanes
      .toSorted((a, b) => Number(isLeader(a)) - Number(isLeader(b)) || Number(isAway(b)) - Number(isAway(a)))
      .map((step) => [step]),
  ];
  const ordered = batches.flatMap((batch, index) => {
    const before = batches[index - 1]?.map(({ id }) => id) ?? [];
    return batch.map((step) => ({ ...step, after: [...step.after, ...before] }));
  });
  const followers = following.map((step) => ({
    ...step,
    after: [...step.after, ...moveStepsBefore(step, ordered)],
  }));
  const compare = (some: Graph): Promise<Plan> => comparePlan(some, parts.kinds, readContext(world, survey));
  return compare([...ordered, ...followers.map(({ within: _within, ...step }) => step)]);
}

/** What is told to one node waits for its machine; what is told of a cluster, for all of them. */
const moveStepsBefore = ({ cluster, node }: Graph[number], moves: Graph): StepId[] =>
  moves
    .filter((move) => move.cluster === cluster && (node === undefined || move.node === node))
    .map(({ id }) => id);

const inBatches = (graph: Graph, size: number): Graph[] =>
  Array.from({ length: Math.ceil(graph.length / size) }, (_, index) =>
    graph.slice(index * size, (index + 1) * size),
  );

/** Control planes that would share a host once these moves are done, and doubts about single moves. */
export function warningsAbout(
  { fleet, survey }: MoveFacts,
  moves: Move[],
  { left }: { left: string[] },
): string[] {
  const target = new Map(moves.map(({ outlook, to }) => [outlook.machine, nodeNameOf(to)]));
  const shared = clustersOf(fleet, moves).flatMap(({ name, nodes }) => {
    const members = survey.machines.filter(
      (machine) =>
        machine.cluster === name &&
        machine.role === "control-plane" &&
        nodes.some((node) => node.name === machine.node),
    );
    const placeOf = (machine: OwnedMachine): string => target.get(machine) ?? machine.on;
    const places = [...new Set(members.map(placeOf))];
    return places.flatMap((place) => {
      const there = members.filter((machine) => placeOf(machine) === place);
      const survivable = Math.floor((members.length - 1) / 2);
      if (members.length < 3 || there.length <= survivable) return [];
      const names = there.map(({ node }) => node).join(", ");
      return [`${names} of ${name} share ${place}: when it is lost, so is the Kubernetes API`];
    });
  });
  const doubts = moves.flatMap(({ outlook, to }) => outlook.doubts[to.name] ?? []);
  const silent = survey.unreachable.map(({ host }) => `${host} does not answer, and gets no machine`);
  const labels =
    left.length === 0
      ? []
      : [`${[...new Set(left)].join(", ")} keep the zone label of the old host until "slipway up"`];
  return [...shared, ...doubts, ...silent, ...labels];
}
