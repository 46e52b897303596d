import fs from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { clusterBusy } from "./lock-errors.ts";

interface Holder {
  pid: number;
  host: string;
  /** Tells a process from a later one that got the same number. */
  started: string;
  command: string;
  since: string;
}

/** Lets one run at a time work on a cluster. A holder that no longer lives is passed over, so a crash blocks nobody. */
export async function lockCluster(
  folder: string,
  cluster: string,
  command: string,
  now: number,
): Promise<() => Promise<void>> {
  const file = path.join(folder, cluster, "run.lock");
  await fs.mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const holder: Holder = {
    pid: process.pid,
    host: os.hostname(),
    started: await processStart(process.pid),
    command,
    since: new Date(now).toISOString(),
  };
  for (;;) {
    if (await createExclusively(file, JSON.stringify(holder))) return () => fs.rm(file, { force: true });
    const other = await readHolder(file);
    if (other && (await isAlive(other))) throw clusterBusy(cluster, other.pid, other.command, other.since);
    await fs.rm(file, { force: true });
  }
}

/** The text is complete before the name appears, so nobody ever reads half a holder. */
async function createExclusively(file: string, text: string): Promise<boolean> {
  const draft = `${file}.${process.pid}`;
  await fs.writeFile(draft, text, { mode: 0o600 });
  try {
    await fs.link(draft, file);
    return true;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw thrown;
  } finally {
    await fs.rm(draft, { force: true });
  }
}

async function readHolder(file: string): Promise<Holder | undefined> {
  try {
    return JSON.parse(await fs.readFile(file, "utf8")) as Holder;
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
