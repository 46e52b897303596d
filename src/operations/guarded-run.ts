import { repeatTransient, runPlan, type RunResult } from "../engine/index.ts";
import { SlipwayError } from "../errors/index.ts";
import type { Plan } from "../plan/index.ts";
import type { Fleet, Host } from "../spec/index.ts";
import type { World } from "../world.ts";
import { assemble, hostsOf, type Parts } from "./assemble.ts";
import { closeFolder } from "./close-folder.ts";
import { endingOf, type Ending } from "./ending.ts";
import { runName } from "./event-stream.ts";
import { findCutRun } from "./journal.ts";
import { whoWeAre } from "./run-holder.ts";
import { lockCluster } from "./run-lock.ts";
import { sharedLock, type SharedLock } from "./shared-lock.ts";

export interface GuardedRun {
  command: "up" | "down";
  fleet: Fleet;
  clusters: string[];
}

/** What the work of a guarded run gets. */
export interface Guarded {
  startedAt: number;
  isResumed: boolean;
  /** Its `stop` also ends the run when somebody else has taken the clusters over. */
  world: World;
  /** Alone among all machines from here on. Called once it is known that something has to be changed. */
  claim(): Promise<void>;
}

/** How long work in flight may take to reach a safe point after the first Ctrl-C. */
const graceMs = 8_000;

/** Runs a plan. When it is stopped, what is in flight may still reach a safe point. */
export const runWithGrace = (
  plan: Plan,
  { kinds }: Parts,
  { clock, stop, tell }: World,
): Promise<RunResult> => runPlan(plan, kinds, { clock, stop, graceMs, tell });

/** A run that changes things: alone on its clusters, told from its first event to its last. */
export function guardedRun(
  run: GuardedRun,
  world: World,
  work: (guarded: Guarded) => Promise<Ending>,
): Promise<Ending> {
  const startedAt = world.clock.now();
  return endingOf(world, startedAt, async () => {
    const unlock = await lockAll(run, world);
    const lost = new AbortController();
    const shared = await sharedLocks(run, world, () => lost.abort("SIGTERM"));
    // The last word of a run: letting go of the locks is still part of it.
    let ending: Ending | undefined;
    const tell: World["tell"] = (event) => {
      if (event.type === "done") ending = event;
      else world.tell(event);
    };
    try {
      const { command, fleet, clusters } = run;
      const { slipway } = world;
      const resumes = findCutRun(world.folder, clusters, command);
      world.tell({
        type: "run",
        command,
        clusters,
        world: world.kind,
        slipway,
        file: fleet.file,
        ...(resumes && { resumes }),
      });
      await closeFolder(world.folder, clusters, warnIn(world));
      await Promise.all(shared.map((lock) => unlessBroken(lock.look())));
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
    if (!ending) throw new Error(`"${run.command}" did not say how it ended`);
    world.tell(ending);
    return ending;
  });
}

const warnIn =
  ({ tell }: Pick<World, "tell">) =>
  (text: string): void =>
    tell({ type: "log", level: "warn", text });

interface Locked extends Omit<GuardedRun, "command"> {
  command: string;
}

/** A short piece of work that changes things, alone on its clusters as a run is. */
export async function whileLocked<T>(run: Locked, world: World, work: () => Promise<T>): Promise<T> {
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

/** One for each cluster, on the first of its hosts. Nobody else reaches a simulated host, so a rehearsal has none. */
async function sharedLocks(
  { command, fleet, clusters }: Locked,
  world: World,
  onLost: () => void,
): Promise<SharedLock[]> {
  if (world.kind === "rehearsal") return [];
  const { notes } = assemble(world).provider;
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
    const host = lockHost(fleet, cluster);
    return host ? [sharedLock({ cluster, host, notes, me, clock, signal, log, onLost })] : [];
  });
}

/** The same one for everybody with the same file, in whatever order it names them. */
function lockHost(fleet: Fleet, name: string): Host | undefined {
  const cluster = fleet.clusters.find((each) => each.name === name);
  const hosts = cluster ? hostsOf(fleet, [cluster]) : fleet.hosts;
  return hosts.toSorted((a, b) => (a.name < b.name ? -1 : 1))[0];
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
async function lockAll({ clusters, command }: Locked, world: World): Promise<() => Promise<void>> {
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
