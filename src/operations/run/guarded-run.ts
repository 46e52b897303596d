import fs from "node:fs/promises";
import path from "node:path";
import { repeatTransient } from "../../engine/index.ts";
import { SlipwayError } from "../../errors/index.ts";
import type { Fleet, Host } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { assemble, hostsOf } from "../planning/assemble.ts";
import { runName } from "./event-stream.ts";
import { findCutRun } from "./journal.ts";
import { whoWeAre } from "./lock-holder.ts";
import { lockCluster } from "./lock.ts";
import { runReportOf, type RunReport } from "./run-report.ts";
import { sharedLock, type SharedLock } from "./shared-lock.ts";
import { folderOpen } from "../planning/errors.ts";

interface GuardedRun {
  /** As typed: `up`, `evacuate hydra`. */
  command: string;
  /** What is typed to go on with it where it ends too early; absent: `slipway up`. */
  again?: string | undefined;
  fleet: Fleet;
  clusters: string[];
}

/** What the work of a guarded run gets. */
interface Guarded {
  startedAt: number;
  isResumed: boolean;
  /** Its `stop` also ends the run when another run has taken the clusters over. */
  world: World;
  /** Alone among all machines from here on. Called once it is known that something has to be changed. */
  claim(): Promise<void>;
}

/** A run that changes things: alone on its clusters, told from its first event to its last. */
export function guardedRun(
  run: GuardedRun,
  world: World,
  work: (guarded: Guarded) => Promise<RunReport>,
): Promise<RunReport> {
  const startedAt = world.clock.now();
  return runReportOf(world, startedAt, async () => {
    const unlock = await lockAll(run, world);
    const lost = new AbortController();
    const shared = await sharedLocks(run, world, () => lost.abort("SIGTERM"));
    // The last word of a run: letting go of the locks is still part of it.
    let runReport: RunReport | undefined;
    const tell: World["tell"] = (event) => {
      if (event.type === "done") runReport = event;
      else world.tell(event);
    };
    try {
      const { command, fleet, clusters, again } = run;
      const { slipway } = world;
      const resumes = findCutRun(world.folder, clusters, command);
      world.tell({
        type: "run",
        command,
        clusters,
        world: world.kind,
        slipway,
        file: fleet.file,
        resumes,
        again,
      });
      await closeFolder(world.folder, clusters, warnIn(world));
      await Promise.all(shared.map((lock) => unlessBroken(lock.check())));
      await work({
        startedAt,
        isResumed: resumes !== undefined,
        world: { ...world, tell, stop: AbortSignal.any([world.stop, lost.signal]) },
        async claim() {
          await claimAll(shared, world);
        },
      });
    } finally {
      await Promise.all(shared.map((lock) => lock.release()));
      await unlock();
    }
    if (!runReport) throw new Error(`"${run.command}" did not say how it ended`);
    world.tell(runReport);
    return runReport;
  });
}

const warnIn =
  ({ tell }: Pick<World, "tell">) =>
  (text: string): void =>
    tell({ type: "log", level: "warn", text });

/** A short piece of work that changes things, alone on its clusters as a run is. */
export async function whileLocked<T>(run: GuardedRun, world: World, work: () => Promise<T>): Promise<T> {
  const unlock = await lockAll(run, world);
  const shared = await sharedLocks(run, world, () => undefined);
  try {
    await closeFolder(world.folder, run.clusters, warnIn(world));
    await claimAll(shared, world);
    return await work();
  } finally {
    await Promise.all(shared.map((lock) => lock.release()));
    await unlock();
  }
}

/** A host whose API is away for a moment is waited for, as every step of a plan does. */
async function claimAll(shared: SharedLock[], world: World): Promise<void> {
  const { clock, stop } = world;
  const onRepeat = ({ because }: { because: string }): void =>
    warnIn(world)(`the lock is not taken yet: ${because}`);
  for (const lock of shared) await repeatTransient({ clock, stop, onRepeat }, () => lock.claim());
}

/** One for each cluster, on the first of its hosts. No other run reaches a simulated host, so a rehearsal has none. */
async function sharedLocks(
  { command, fleet, clusters }: GuardedRun,
  world: World,
  onLost: () => void,
): Promise<SharedLock[]> {
  if (world.kind === "rehearsal") return [];
  const { notes, keepsNotes } = assemble(world, fleet).provider;
  const now = world.clock.now();
  const me = {
    ...(await whoWeAre(world.folder)),
    command,
    run: runName(now),
    since: new Date(now).toISOString(),
  };
  const { clock, stop: signal } = world;
  const log: Parameters<typeof sharedLock>[0]["log"] = (level, text) =>
    world.tell({ type: "log", level, text });
  return clusters.flatMap((cluster) => {
    const host = lockHost(fleet, cluster, keepsNotes);
    return host ? [sharedLock({ cluster, host, notes, me, clock, signal, log, onLost })] : [];
  });
}

/** The same one for everybody with the same file, in whatever order it names them. Machines alone keep no note of a run. */
function lockHost(fleet: Fleet, name: string, keepsNotes: (host: Host) => boolean): Host | undefined {
  const cluster = fleet.clusters.find((each) => each.name === name);
  const hosts = cluster ? hostsOf(fleet, [cluster]) : fleet.hosts;
  return hosts.filter(keepsNotes).toSorted((a, b) => (a.name < b.name ? -1 : 1))[0];
}

/** A host that cannot be asked is for the preflight to explain; here only an answer counts. */
async function unlessBroken(looking: Promise<void>): Promise<void> {
  try {
    await looking;
  } catch (thrown) {
    if (thrown instanceof SlipwayError && thrown.code === "RUN_CLUSTER_HELD") throw thrown;
  }
}

/** Locks all clusters or none, and gives back how to let go of them. */
async function lockAll({ clusters, command }: GuardedRun, world: World): Promise<() => Promise<void>> {
  const unlocks: (() => Promise<void>)[] = [];
  const unlockAll = async (): Promise<void> => {
    await Promise.all(unlocks.map((unlock) => unlock()));
  };
  try {
    for (const cluster of clusters)
      unlocks.push(await lockCluster(world.folder, cluster, command, world.clock.now()));
    return unlockAll;
  } catch (thrown) {
    await unlockAll();
    throw thrown;
  }
}

const othersWrite = 0o022;

/**
 * Users who may write beside the secrets can put others in their place. Folders that let others do so are closed to them, and
 * told; a run ends where that cannot be done.
 */
async function closeFolder(folder: string, clusters: string[], warn: (text: string) => void): Promise<void> {
  const folders = [folder, ...clusters.map((cluster) => path.join(folder, cluster))];
  for (const each of folders) {
    const found = await fs.stat(each).catch(() => undefined);
    if (!found || (found.mode & othersWrite) === 0) continue;
    const mode = found.mode & 0o777;
    await fs.chmod(each, mode & ~othersWrite).catch((cause: unknown) => {
      throw folderOpen({ folder: each, mode: octal(mode), cause });
    });
    const changed = `${octal(mode)}, now ${octal(mode & ~othersWrite)}`;
    warn(`other users could write in "${each}" (mode ${changed}); see that its files are yours`);
  }
}

const octal = (mode: number): string => mode.toString(8).padStart(4, "0");
