import { ageText } from "../../checks/index.ts";
import { describeCause, SlipwayError } from "../../errors/index.ts";
import { limitTime } from "../../lib/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { newestBackup } from "./list-backups.ts";

/** How it stands with the newest backup. */
export interface BackupStatus {
  isOverdue: boolean;
  /** Absent: there is none, or nobody could tell. */
  takenAt?: string;
  /** What a person should know; absent: nothing. */
  know?: string;
}

const backupPatienceMs = 5_000;

/** Asked only where the file wants to know; a place that is slow to answer does not hold the rest up. */
export async function backupStatus(cluster: Cluster, world: World): Promise<BackupStatus | undefined> {
  const maxAgeMs = cluster.backups?.maxAgeMs;
  if (maxAgeMs === undefined) return undefined;
  try {
    const takenAt = await limitTime(
      world.clock,
      backupPatienceMs,
      "no answer in time",
      world.stop,
      (signal) => newestBackup(cluster, world, signal),
    );
    if (takenAt === undefined) return { isOverdue: true, know: "no backup" };
    const ageMs = world.clock.now() - takenAt;
    const isOverdue = ageMs > maxAgeMs;
    return {
      isOverdue,
      takenAt: new Date(takenAt).toISOString(),
      ...(isOverdue && { know: `newest backup is ${ageText(ageMs)} old` }),
    };
  } catch (thrown) {
    world.stop.throwIfAborted();
    const why = thrown instanceof SlipwayError ? thrown.why : describeCause(thrown);
    return { isOverdue: false, know: `backups unknown: ${why}` };
  }
}
