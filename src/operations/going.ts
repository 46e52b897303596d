import type { OwnedMachine, Provider, Survey } from "../plan/index.ts";
import type { Cluster, Fleet, Host } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, hostsOf, readContext } from "./assemble.ts";
import { clusterProtected, notOneNode } from "./removal-errors.ts";
import { selectClusters, type Selection } from "./select.ts";
import { unknownCluster } from "./selection-errors.ts";

/** What is to be taken away: clusters of the file, or one that only its marks on the hosts still tell of. */
export interface Going {
  names: string[];
  /** Those of them that are in the file. */
  clusters: Cluster[];
  hosts: Host[];
}

/** Finds out what a removal is about, and refuses at once what the file protects. */
export async function findGoing(
  { fleet, selection }: { fleet: Fleet; selection: Selection },
  world: World,
): Promise<Going> {
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
  const survey = await assemble(world).provider.survey(readContext(world), fleet.hosts);
  const known = fleet.clusters.map((cluster) => cluster.name);
  if (!marksIn(survey).has(name)) throw unknownCluster(name, known);
}

/** Every cluster that something on the hosts is marked with. */
export const marksIn = (survey: Survey): Set<string> =>
  new Set([...survey.machines, ...survey.shelves].map((owned) => owned.cluster));

export const isGoing =
  ({ names }: Going) =>
  ({ cluster }: Pick<OwnedMachine, "cluster">): boolean =>
    names.includes(cluster);

/** Images other clusters were made from, or will be made from, stay. */
export function imagesOfOthers(
  { fleet }: { fleet: Fleet },
  going: Going,
  survey: Survey,
  provider: Provider,
): Set<string> {
  const inUse = survey.machines.filter((machine) => !isGoing(going)(machine)).map((machine) => machine.image);
  const staying = fleet.clusters.filter((cluster) => !going.names.includes(cluster.name));
  return new Set([...inUse, ...provider.imagesOf(staying)]);
}
