import { readContents } from "../../backups/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Backups } from "../../spec/index.ts";
import type { Place } from "./places.ts";

/** A backup that lies in a place. */
export interface StoredBackup {
  place: string;
  name: string;
  sizeBytes: number;
  takenAt: number;
  distribution: string;
  versions: Record<string, string>;
}

/** Something with the name of a backup that is none of this cluster's. */
export interface ForeignFile {
  place: string;
  name: string;
  why: string;
}

/** What is there of a cluster, the newest first. Ours is what says so itself, whatever it is called. */
export async function listPlace(
  place: Place,
  cluster: string,
  signal: AbortSignal,
): Promise<{ backups: StoredBackup[]; foreign: ForeignFile[] }> {
  const backups: StoredBackup[] = [];
  const foreign: ForeignFile[] = [];
  for (const { name, sizeBytes } of await place.list(cluster, signal)) {
    try {
      const {
        cluster: whose,
        madeAt,
        distribution,
        versions,
      } = await readContents(place.source(name, signal));
      if (whose !== cluster) foreign.push({ place: place.name, name, why: `it is a backup of "${whose}"` });
      else
        backups.push({
          place: place.name,
          name,
          sizeBytes,
          takenAt: Date.parse(madeAt),
          distribution,
          versions,
        });
    } catch (thrown) {
      signal.throwIfAborted();
      if (!(thrown instanceof SlipwayError) || !thrown.code.startsWith("BACKUP_")) throw thrown;
      foreign.push({ place: place.name, name, why: thrown.why });
    }
  }
  return { backups: backups.toSorted((a, b) => b.takenAt - a.takenAt), foreign };
}

/** Those that neither rule wants. The newest always stays. Pure. */
export function notKept<T extends { takenAt: number }>(
  newestFirst: readonly T[],
  keep: Backups["keep"],
  now: number,
): T[] {
  if (!keep) return [];
  const { newest = 0, forMs } = keep;
  return newestFirst.filter(
    ({ takenAt }, index) => index > 0 && index >= newest && (forMs === undefined || now - takenAt > forMs),
  );
}

/** Takes away what is no longer wanted. Gives back the names. */
export async function applyKeep(
  place: Place,
  cluster: string,
  keep: Backups["keep"],
  now: number,
  signal: AbortSignal,
): Promise<string[]> {
  if (!keep) return [];
  const { backups } = await listPlace(place, cluster, signal);
  const gone = notKept(backups, keep, now).map(({ name }) => name);
  for (const name of gone) await place.remove(name, signal);
  return gone;
}
