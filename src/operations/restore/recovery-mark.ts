import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { removeFiles, replaceFile, stableJson } from "../../lib/index.ts";
import type { RecoverySource } from "../../plan/index.ts";
import type { BackupContents, OpenedBackup } from "../../backups/index.ts";
import type { World } from "../../world/index.ts";

/** By which one backup is told from all others. */
export const backupId = (contents: BackupContents): string =>
  createHash("sha256").update(stableJson(contents)).digest("hex").slice(0, 12);

const fileOf = ({ folder }: Pick<World, "folder">, cluster: string): string =>
  path.join(folder, cluster, "restore.json");

/**
 * There from right before a database is brought back until the cluster is whole again. A run that finds etcd at work and this
 * beside it goes on; without it, whatever works is not touched.
 */
export async function findMark(
  world: Pick<World, "folder">,
  cluster: string,
): Promise<{ backup: string } | undefined> {
  const text = await readFile(fileOf(world, cluster), "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const { backup } = JSON.parse(text) as { backup?: unknown };
    return typeof backup === "string" ? { backup } : undefined;
  } catch {
    return undefined;
  }
}

export const removeMark = (world: Pick<World, "folder">, cluster: string): Promise<void> =>
  removeFiles([fileOf(world, cluster)]);

/** The snapshot in a backup, and the mark of this cluster. */
export const recoverySource = (
  world: Pick<World, "folder" | "clock">,
  cluster: string,
  { contents, member }: OpenedBackup,
): RecoverySource => ({
  read: () => member(contents.snapshot?.member ?? "").read(),
  async begin() {
    const mark = { backup: backupId(contents), at: new Date(world.clock.now()).toISOString() };
    await replaceFile(fileOf(world, cluster), `${JSON.stringify(mark)}\n`);
  },
  hasBegun: async () => (await findMark(world, cluster))?.backup === backupId(contents),
});
