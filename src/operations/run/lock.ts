import { createHash, randomBytes } from "node:crypto";
import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { createFile } from "../../lib/index.ts";
import { clusterBusy } from "./errors.ts";

interface Holder {
  pid: number;
  host: string;
  /** Tells a process from a later one that got the same number. */
  started: string;
  command: string;
  since: string;
  /** Tells two locks of one process apart. */
  nonce?: string;
}

/** Lets one run at a time work on a cluster. A holder that no longer lives is passed over, so a crash blocks no other run. */
export async function lockCluster(
  folder: string,
  cluster: string,
  command: string,
  now: number,
  /** Called between finding a dead holder and removing it; whatever happens meanwhile must not matter. */
  atDeadHolder: () => Promise<void> = async () => {},
): Promise<() => Promise<void>> {
  const holder: Holder = {
    pid: process.pid,
    host: os.hostname(),
    started: await processStart(process.pid),
    command,
    since: new Date(now).toISOString(),
    nonce: randomBytes(8).toString("hex"),
  };
  const file = path.join(folder, cluster, "run.lock");
  const other = await takeFile(file, JSON.stringify(holder), atDeadHolder);
  if (other) throw clusterBusy(cluster, other.pid, other.command, other.since);
  return () => fs.rm(file, { force: true });
}

/** Who works on a cluster right now, as far as this folder knows; undefined: nobody that still lives. */
export async function lockHolder(folder: string, cluster: string): Promise<{ since: string } | undefined> {
  const found = await fs.readFile(path.join(folder, cluster, "run.lock"), "utf8").catch(() => "");
  const holder = readHolder(found);
  return holder && (await isAlive(holder)) ? holder : undefined;
}

/** Gives back the living holder; undefined when the file is ours. */
async function takeFile(
  file: string,
  text: string,
  atDeadHolder: () => Promise<void>,
): Promise<Holder | undefined> {
  for (;;) {
    if (await createFile(file, text)) return undefined;
    const found = await fs.readFile(file, "utf8").catch(() => undefined);
    if (found === undefined) continue;
    const other = readHolder(found);
    if (other && (await isAlive(other))) return other;
    await atDeadHolder();
    await removeDead(file, found, text, atDeadHolder);
  }
}

/**
 * Between reading a dead holder and removing it, another may have done both and hold the lock by now. So the right to remove
 * this very holder is a lock of its own, and the run that has it checks once more.
 */
async function removeDead(
  file: string,
  dead: string,
  text: string,
  atDeadHolder: () => Promise<void>,
): Promise<void> {
  const heir = heirFile(file, dead);
  if (await takeFile(heir, text, atDeadHolder)) {
    await setTimeout(5);
    return;
  }
  try {
    if ((await fs.readFile(file, "utf8").catch(() => undefined)) === dead) await fs.rm(file, { force: true });
  } finally {
    await fs.rm(heir, { force: true });
  }
}

/** Named after the text of the dead holder; no two holders write the same. */
export const heirFile = (file: string, dead: string): string =>
  `${file}.${createHash("sha256").update(dead).digest("hex").slice(0, 12)}`;

function readHolder(text: string): Holder | undefined {
  try {
    return JSON.parse(text) as Holder;
  } catch {
    return undefined;
  }
}

/** A holder on another machine cannot be seen from here, so it counts as alive. */
async function isAlive(holder: Holder): Promise<boolean> {
  if (holder.host !== os.hostname()) return true;
  try {
    process.kill(holder.pid, 0);
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ESRCH") return false;
  }
  return (await processStart(holder.pid)) === holder.started;
}

/** Start time of a process in clock ticks, where the system tells it (Linux); empty elsewhere. */
async function processStart(pid: number): Promise<string> {
  try {
    const stat = await fs.readFile(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] ?? "";
  } catch {
    return "";
  }
}
