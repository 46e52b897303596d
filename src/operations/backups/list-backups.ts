import { SlipwayError } from "../../errors/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { selectClusters, type Selection } from "../fleet/select.ts";
import { backupToNowhere } from "./errors.ts";
import { listPlace, type ForeignFile, type StoredBackup } from "./keep-backups.ts";
import { placesOf } from "./places.ts";

export interface ListedBackups {
  cluster: string;
  /** In all its places, the newest first. */
  backups: StoredBackup[];
  /** What has the name of a backup and is none of this cluster's. */
  foreign: ForeignFile[];
  /** The file says how old the newest may be, and it is older or missing. */
  isOverdue: boolean;
}

/** Every backup of these clusters, as its own table of contents tells it. Needs no key. */
export async function listBackups(
  { fleet, selection, from }: { fleet: Fleet; selection: Selection; from?: string | undefined },
  world: World,
): Promise<ListedBackups[]> {
  const clusters = selectClusters(fleet, selection);
  return Promise.all(
    clusters.map(async (cluster) => {
      if (from === undefined && !cluster.backups)
        throw backupToNowhere({ cluster: cluster.name, at: cluster.at });
      return listCluster(cluster, from, world, world.stop);
    }),
  );
}

async function listCluster(
  cluster: Cluster,
  from: string | undefined,
  world: World,
  signal: AbortSignal,
): Promise<ListedBackups> {
  const places = await placesOf(cluster, from, world);
  const found = await Promise.all(places.map((place) => listPlace(place, cluster.name, signal)));
  const backups = found.flatMap((each) => each.backups).toSorted((a, b) => b.takenAt - a.takenAt);
  return {
    cluster: cluster.name,
    backups,
    foreign: found.flatMap((each) => each.foreign),
    isOverdue: isOverdue(cluster, backups[0]?.takenAt, world.clock.now()),
  };
}

const isOverdue = ({ backups }: Cluster, newest: number | undefined, now: number): boolean =>
  backups?.maxAgeMs !== undefined && (newest === undefined || now - newest > backups.maxAgeMs);

/** When the newest was taken, in any place that answers; undefined when none has one. Throws when no place answers. */
export async function newestBackup(
  cluster: Cluster,
  world: World,
  signal: AbortSignal,
): Promise<number | undefined> {
  const places = await placesOf(cluster, undefined, world);
  const failures: SlipwayError[] = [];
  const times = await Promise.all(
    places.map(async (place) => {
      try {
        return (await listPlace(place, cluster.name, signal)).backups.map(({ takenAt }) => takenAt);
      } catch (thrown) {
        if (!(thrown instanceof SlipwayError)) throw thrown;
        failures.push(thrown);
        return [];
      }
    }),
  );
  const [failure] = failures;
  if (failure && failures.length === places.length) throw failure;
  return times.flat().toSorted((a, b) => b - a)[0];
}
