import { mkdir } from "node:fs/promises";
import path from "node:path";
import { ArchiveFile, packBackup } from "../../backups/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { ClusterDatabase, StepContext } from "../../plan/index.ts";
import type { Readers } from "../../secrets/index.ts";
import type { World } from "../../world/index.ts";
import { snapshotMember, type GatheredParts } from "./gather-parts.ts";
import type { Place } from "./places.ts";

/** One archive, whole and encrypted, ready to go to all its places. A control plane that fails is followed by the next. */
export async function makeArchive(
  { facts, parts, databases }: GatheredParts,
  { name, places, readers }: { name: string; places: Place[]; readers: Readers },
  world: World,
  ctx: StepContext,
): Promise<ArchiveFile> {
  const pack = async (node?: string, database?: ClusterDatabase): Promise<ArchiveFile> => {
    const file = await openArchive(name, places, world);
    const streamed = database && {
      name: snapshotMember,
      content: received(database, ctx),
      broken: (why: string) => database.broken(why),
    };
    try {
      await packBackup({ facts: facts(node), parts, database: streamed }, readers, world.random, file);
      return file;
    } catch (thrown) {
      await file[Symbol.asyncDispose]();
      throw thrown;
    }
  };
  for (const [index, { node, database }] of databases.entries()) {
    try {
      return await pack(node, database);
    } catch (thrown) {
      if (!(thrown instanceof SlipwayError) || index === databases.length - 1) throw thrown;
      ctx.log("warn", `no snapshot from ${node}: ${thrown.why}`);
    }
  }
  return pack();
}

/** Where it is to stay, if that is a folder; a bucket and a pipe have none. */
async function openArchive(name: string, places: Place[], world: World): Promise<ArchiveFile> {
  for (const { folder } of places) {
    if (folder === undefined) continue;
    // One that cannot be made is for the write to explain.
    const isThere = await mkdir(folder, { recursive: true, mode: 0o700 }).then(
      () => true,
      () => false,
    );
    if (isThere) return ArchiveFile.draftOf(path.join(folder, name));
  }
  return ArchiveFile.nameless(world.folder);
}

async function* received(database: ClusterDatabase, ctx: StepContext): AsyncGenerator<Uint8Array> {
  let [total, done] = [0, 0];
  for await (const piece of database.read((sizeBytes) => (total = sizeBytes))) {
    ctx.signal.throwIfAborted();
    yield piece;
    done += piece.length;
    // The size is what the node said before it began.
    if (total > 0) ctx.progress(Math.min(done, total), total, "bytes");
  }
}
