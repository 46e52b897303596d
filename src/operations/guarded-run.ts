import type { Fleet } from "../spec/index.ts";
import type { World } from "../world.ts";
import { endingOf, type Ending } from "./ending.ts";
import { findCutRun } from "./journal.ts";
import { lockCluster } from "./run-lock.ts";

export interface GuardedRun {
  command: "up" | "down";
  fleet: Fleet;
  clusters: string[];
}

/** How long work in flight may take to reach a safe point after the first Ctrl-C. */
export const graceMs = 8_000;

/** A run that changes things: alone on its clusters, told from its first event to its last. */
export function guardedRun(
  run: GuardedRun,
  world: World,
  work: (run: { startedAt: number; isResumed: boolean }) => Promise<Ending>,
): Promise<Ending> {
  const startedAt = world.clock.now();
  return endingOf(world, startedAt, async () => {
    const unlock = await lockAll(run, world);
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
      return await work({ startedAt, isResumed: resumes !== undefined });
    } finally {
      await unlock();
    }
  });
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
