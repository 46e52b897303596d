import { spawnSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { createReadStream, rmSync } from "node:fs";
import { mkdtemp, open, rm } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { ArchiveFile, packBackup } from "../src/backups/index.ts";
import { realRandom } from "../src/lib/index.ts";
import { someFacts, someKeys } from "../test/support/backups/some-backup.ts";
import { median } from "./measure-start.ts";

/** Of one backup, from the first byte a node sends until the archive is on the disk. */
export interface BackupFigures {
  mib: number;
  seconds: number;
  /** Of `age | cat` with the same content, in turns with it; undefined without the program. */
  ageSeconds: number | undefined;
  /** The most that was in use, above what the process had before. */
  memoryMiB: number;
}

/**
 * A large snapshot goes its whole way: proven, laid down, packed for one recipient, written and synced. In turns with age,
 * the median of each: what else this machine has to do comes and goes.
 */
export async function measureBackup(mib = 1024, turns = 3): Promise<BackupFigures> {
  const folder = await mkdtemp(path.join(os.tmpdir(), "slipway-bench-"));
  try {
    const file = path.join(folder, "snapshot.db");
    await writeSnapshot(file, mib);
    const { recipients } = await someKeys();
    const idle = process.memoryUsage.rss();
    let most = idle;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 20);
    const [ours, byAge]: [number[], number[]] = [[], []];
    for (let turn = 0; turn < turns; turn += 1) {
      byAge.push(...measureAge(file, path.join(folder, "by-age"), recipients[0] ?? ""));
      const beganAt = performance.now();
      const made = await backUp(file, folder, recipients);
      ours.push((performance.now() - beganAt) / 1000);
      await rm(made);
    }
    clearInterval(watch);
    const ageSeconds = byAge.length > 0 ? median(byAge) : undefined;
    return { mib, seconds: median(ours), ageSeconds, memoryMiB: (most - idle) / 1024 ** 2 };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function backUp(file: string, folder: string, recipients: string[]): Promise<string> {
  const content = createReadStream(file, { highWaterMark: 1024 * 1024 });
  const database = { name: "etcd/snapshot.db", content, broken: (why: string) => new Error(why) };
  const to = path.join(folder, "lab.backup.tar");
  await using archive = await ArchiveFile.draftOf(to);
  await packBackup({ facts: someFacts, parts: [], database }, { recipients }, realRandom, archive);
  await archive.keepAs(to);
  return to;
}

/** Nothing without the program. */
function measureAge(file: string, into: string, recipient: string): number[] {
  const beganAt = performance.now();
  const script = 'set -o pipefail; age --encrypt -r "$2" < "$0" | cat > "$1" && sync "$1"';
  const { status } = spawnSync("bash", ["-c", script, file, into, recipient], { stdio: "ignore" });
  const took = (performance.now() - beganAt) / 1000;
  rmSync(into, { force: true });
  return status === 0 ? [took] : [];
}

/** As etcd gives it out: pages that begin as bbolt's do, and their SHA-256. */
async function writeSnapshot(file: string, mib: number): Promise<void> {
  const handle = await open(file, "w", 0o600);
  const hash = createHash("sha256");
  for (let done = 0; done < mib; done += 1) {
    const piece = randomBytes(1024 ** 2);
    if (done === 0) {
      piece.writeUInt32LE(0xed0cdaed, 16);
      piece.writeUInt32LE(2, 20);
    }
    hash.update(piece);
    await handle.appendFile(piece);
  }
  await handle.appendFile(hash.digest());
  await handle.sync();
  await handle.close();
}
