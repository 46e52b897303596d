import { createWriteStream } from "node:fs";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import {
  fileSource,
  openBackup,
  readContents,
  type BackupContents,
  type BackupSource,
  type OpenedBackup,
} from "../../backups/index.ts";
import type { SlipwayError } from "../../errors/index.ts";
import type { RunProgram } from "../../lib/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { noBackupHere, snapshotRefused } from "./errors.ts";
import { isBackupName, placesOf } from "./places.ts";

/** What is known of a backup after it was read to its end. */
export interface CheckedBackup {
  source: string;
  contents: BackupContents;
  snapshot: SnapshotTrial;
}

/** Whether etcd itself took the snapshot. */
export type SnapshotTrial =
  | { tried: true; by: string; revision: number; totalKeys: number }
  /** Why it was not tried, though its own checksum is right. */
  | { tried: false; because: string };

/** Opens a backup, proves every part of it, and lets etcd's own program restore the snapshot where it is at hand. */
export async function checkBackup(
  { fleet, name, onRead }: { fleet: Fleet; name: string; onRead?: (bytes: number) => void },
  world: World,
): Promise<CheckedBackup> {
  const { opened, source } = await openKnownBackup({ fleet, name, onRead }, world);
  return {
    source: source.name,
    contents: opened.contents,
    snapshot: await trySnapshot(opened, source, world),
  };
}

/** Opens one that is named, with the keys of its cluster, and proves every part of it. */
export async function openKnownBackup(
  { fleet, name, onRead }: { fleet: Fleet; name: string; onRead?: ((bytes: number) => void) | undefined },
  world: World,
): Promise<{ opened: OpenedBackup; source: BackupSource }> {
  const source = await findBackup(fleet, name, world);
  const { cluster } = await readContents(source);
  return { opened: await openBackup(source, world.secretFiles.keys(cluster), onRead), source };
}

/** A file, `s3://bucket/…`, or the name of a backup in a place of the file. */
async function findBackup(fleet: Fleet, name: string, world: World): Promise<BackupSource> {
  if (
    await fs.stat(name).then(
      (found) => found.isFile(),
      () => false,
    )
  )
    return fileSource(path.resolve(name));
  const [, folder, base = name] = /^(s3:\/\/.+)\/([^/]+)$/.exec(name) ?? [];
  for (const cluster of fleet.clusters) {
    if (!isBackupName(cluster.name, base)) continue;
    for (const place of await placesOf(cluster, folder, world)) {
      const found = await place.list(cluster.name, world.stop);
      if (found.some((each) => each.name === base)) return place.source(base, world.stop);
    }
  }
  throw noBackupHere({ name });
}

/** Into a folder for this user alone, which is gone afterwards. */
async function trySnapshot(
  { contents, member }: OpenedBackup,
  { name: source }: BackupSource,
  world: World,
): Promise<SnapshotTrial> {
  if (!contents.snapshot) return { tried: false, because: "it holds no snapshot" };
  const { runProgram, stop: signal } = world;
  if (!runProgram) return { tried: false, because: "a rehearsal runs no programs" };
  const program = await restoringProgram(runProgram, signal);
  if (program === undefined)
    return { tried: false, because: "neither etcdutl nor an etcdctl before 3.6 is on PATH" };
  const run = (...args: string[]) => runProgram(program, args, { signal, env: { ETCDCTL_API: "3" } });
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), "slipway-check-"));
  try {
    const file = path.join(folder, "snapshot.db");
    await pipeline(member(contents.snapshot.member).read(), createWriteStream(file, { mode: 0o600 }));
    const restored = await run("snapshot", "restore", file, "--data-dir", path.join(folder, "data"));
    if (restored.code !== 0) throw refused(source, program, restored.stderr);
    const status = await run("snapshot", "status", file, "--write-out", "json");
    if (status.code !== 0) throw refused(source, program, status.stderr);
    const { revision, totalKey } = JSON.parse(status.stdout) as { revision: number; totalKey: number };
    return { tried: true, by: program, revision, totalKeys: totalKey };
  } finally {
    await fs.rm(folder, { recursive: true, force: true });
  }
}

/** The program of etcd that restores snapshots: etcdutl since 3.5, and etcdctl until 3.5. */
async function restoringProgram(
  runProgram: RunProgram,
  signal: AbortSignal,
): Promise<"etcdutl" | "etcdctl" | undefined> {
  for (const program of ["etcdutl", "etcdctl"] as const) {
    const said = await runProgram(program, ["version"], { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (said?.code !== 0) continue;
    if (program === "etcdutl" || /etcdctl version: 3\.[0-5]\./.test(said.stdout)) return program;
  }
  return undefined;
}

/** The last thing it said before the trace of a panic, where it fell over. */
function refused(source: string, program: string, stderr: string): SlipwayError {
  const lines = stderr
    .split(/\n\s*\n|\ngoroutine /)[0]
    ?.trim()
    .split("\n");
  return snapshotRefused({ source, program, why: lines?.at(-1) ?? "nothing" });
}
