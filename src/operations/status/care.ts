import { limitTime } from "../../lib/index.ts";
import type { DatabaseSize } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { backupStatus } from "../backups/backup-status.ts";
import { selectClusters } from "../fleet/select.ts";
import { assemble } from "../planning/assemble.ts";

/** What of a running cluster changes slowly, and ends badly when nobody looks. */
export interface ClusterCare {
  certificates: { name: string; expires: string }[];
  /** When the newest backup was taken, where the file says how old it may be. */
  backupAt?: string | undefined;
  database?: DatabaseSize | undefined;
}

const patienceMs = 30_000;

/** Whoever does not answer in time is left out: this is a look, and holds nothing up. */
export async function careFor(
  { fleet, cluster: name }: { fleet: Fleet; cluster: string },
  world: World,
): Promise<ClusterCare> {
  const { distribution } = assemble(world, fleet);
  const [cluster] = selectClusters(fleet, { cluster: name });
  if (!cluster) return { certificates: [] };
  const inTime = <T>(look: (signal: AbortSignal) => Promise<T> | undefined): Promise<T | undefined> =>
    limitTime(world.clock, patienceMs, "late", world.stop, async (signal) => look(signal)).catch(
      () => undefined,
    );
  const [lives, backup, database] = await Promise.all([
    inTime((signal) => distribution.certificates?.(cluster, signal)),
    inTime(() => backupStatus(cluster, world)),
    inTime((signal) => distribution.measureDatabase?.(cluster, signal)),
  ]);
  const certificates = (lives?.certificates ?? []).map(({ name: of, expiresMs }) => ({
    name: of,
    expires: new Date(expiresMs).toISOString(),
  }));
  return { certificates, backupAt: backup?.takenAt, database };
}
