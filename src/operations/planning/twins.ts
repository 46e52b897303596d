import { errorData } from "../../errors/index.ts";
import {
  nodeTwice,
  type AwayMachine,
  type OwnedMachine,
  type Refusal,
  type RememberedNode,
  type Survey,
} from "../../plan/index.ts";
import type { Cluster, Fleet, Node } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { hostsOf, readContext, type Parts } from "./assemble.ts";
import type { LostHosts, MadeAgain, Replaced } from "./made-again.ts";
import { nodeMayLive } from "./twin-errors.ts";

interface Surveyed {
  clusters: Cluster[];
  parts: Parts;
  survey: Survey;
}

/**
 * A node has one machine. Refuses to make a second one while the first may live out of sight, and to go on
 * with two. A cluster of which nothing exists yet has nothing to lose.
 */
export async function refuseTwins(
  fleet: Fleet,
  surveyed: Surveyed,
  world: World,
  { replaced, lost }: MadeAgain,
): Promise<Refusal[]> {
  const { clusters, survey } = surveyed;
  const doubles = clusters.flatMap((cluster) => doublesOf(cluster, survey));
  const gaps = clusters
    .map((cluster) => ({ cluster, nodes: missingNodes(cluster, survey) }))
    .filter(({ cluster, nodes }) => nodes.length > 0 && nodes.length < cluster.nodes.length);
  if (gaps.length === 0) return doubles;
  const beyond = await surveyElsewhere(fleet, surveyed, world);
  const living = await Promise.all(
    gaps.map(async ({ cluster, nodes }) => {
      const known = await surveyed.parts.distribution.remember(cluster, world.stop);
      return nodes.flatMap((node) =>
        mayLive(cluster, node, { known: known.get(node.name), beyond, surveyed, replaced, lost }),
      );
    }),
  );
  return [...doubles, ...living.flat()];
}

const missingNodes = (cluster: Cluster, { machines }: Survey): Node[] => {
  const there = new Set(machines.filter((each) => each.cluster === cluster.name).map(({ node }) => node));
  return cluster.nodes.filter(({ name }) => !there.has(name));
};

/** Hosts of the file that the cluster is not on: a machine may stand there from the days when it was. */
async function surveyElsewhere(
  fleet: Fleet,
  { clusters, parts }: Surveyed,
  world: World,
): Promise<Elsewhere> {
  const asked = new Set(hostsOf(fleet, clusters));
  const hosts = fleet.hosts.filter((host) => !asked.has(host));
  if (hosts.length === 0) return { machines: [], unreachable: [], places: [] };
  const { machines, unreachable, places = [] } = await parts.provider.survey(readContext(world), hosts);
  return { machines, unreachable, places };
}

interface Elsewhere extends Pick<Survey, "machines" | "unreachable"> {
  places: string[];
}

function doublesOf(cluster: Cluster, { machines }: Survey): Refusal[] {
  return cluster.nodes.flatMap((node) => {
    const own = machines.filter((each) => each.cluster === cluster.name && each.node === node.name);
    if (own.length < 2) return [];
    return [refusal(cluster, node, nodeTwice({ cluster: cluster.name, node: node.name, machines: own }))];
  });
}

interface Knowledge {
  known: RememberedNode | undefined;
  beyond: Elsewhere;
  surveyed: Surveyed;
  /** Nodes whose seat in etcd goes first. */
  replaced: Replaced;
  /** Hosts that are said not to come back. */
  lost: LostHosts;
}

function mayLive(cluster: Cluster, node: Node, knowledge: Knowledge): Refusal[] {
  const doubt = doubtOf(cluster, node, knowledge);
  if (doubt === undefined) return [];
  return [refusal(cluster, node, nodeMayLive({ cluster: cluster.name, node: node.name, ...doubt }))];
}

/** Why its machine may not be gone, if that is so. */
function doubtOf(
  cluster: Cluster,
  node: Node,
  { known, beyond, surveyed, replaced, lost }: Knowledge,
): Doubt | undefined {
  const away = (surveyed.survey.away ?? []).find((each) => isOf(cluster, node, each) && !lost.has(each.on));
  if (away) return { why: `its machine ${away.id} is on ${away.on}, which is offline`, host: away.on };
  const elsewhere = beyond.machines.find((each) => isSame(cluster, node, each));
  if (elsewhere)
    return { why: `its machine ${elsewhere.id ?? node.name} is on ${elsewhere.host}, which is not in "on"` };
  if (!known) return undefined;
  const isEmpty = (surveyed.survey.emptied ?? []).includes(node.name);
  const isCounted = known.isMember && !replaced.has(`${cluster.name}/${node.name}`);
  if (isEmpty) return isCounted ? { why: `its machine is empty, ${countedTwice}`, isEmpty: true } : undefined;
  if (known.isReady) return { why: "Kubernetes heard from it less than a minute ago" };
  const unreachable = beyond.unreachable.find(({ host }) => !lost.has(host))?.host;
  if (unreachable !== undefined)
    return { why: `host "${unreachable}" does not answer, and may have it`, host: unreachable };
  const place = known.zone;
  const isSeen = place === undefined || lost.has(place) || isSurveyed(place, surveyed, beyond);
  if (!isSeen && node.labels[zoneLabel] === undefined)
    return { why: `it was last seen on ${place}, which no host in the file answers for`, host: place };
  return isCounted ? { why: `its machine is gone, ${countedTwice}`, isGone: true } : undefined;
}

const countedTwice = "and etcd counts it as a member and would count a new one beside it";

interface Doubt {
  why: string;
  /** All hosts that it may be on have answered. */
  isGone?: true;
  /** Its machine is there, and holds nothing of it any more. */
  isEmpty?: true;
  /** The one that does not answer and may have it. */
  host?: string;
}

const zoneLabel = "topology.kubernetes.io/zone";

const isSame = (cluster: Cluster, node: Node, machine: OwnedMachine): boolean =>
  machine.cluster === cluster.name && machine.node === node.name;

/** By its name where that is known, else by its number, unless that is another node's. */
function isOf(cluster: Cluster, node: Node, away: AwayMachine): boolean {
  if (away.cluster !== cluster.name.toLowerCase()) return false;
  if (away.name !== "") return away.name === node.name;
  const owner = cluster.nodes.find(({ vmid }) => vmid !== undefined && vmid === away.id);
  return owner === undefined || owner === node;
}

const isSurveyed = (place: string, { survey }: Surveyed, beyond: Elsewhere): boolean =>
  survey.hosts.some(({ host }) => host === place) ||
  (survey.places ?? []).includes(place) ||
  beyond.places.includes(place);

const refusal = (cluster: Cluster, node: Node, thrown: ReturnType<typeof nodeTwice>): Refusal => ({
  step: `${cluster.name}/machine/${node.name}`,
  consequence: "create",
  why: thrown.why,
  next: thrown.next,
  subject: node.name,
  error: errorData(thrown),
  holds: cluster.name,
});
