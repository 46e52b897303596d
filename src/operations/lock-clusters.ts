import type { World } from "../world.ts";
import { lockCluster } from "./run-lock.ts";

/** Locks all of these clusters or none, and gives back how to let go of them. */
export async function lockClusters(
  clusters: string[],
  command: string,
  world: World,
): Promise<() => Promise<void>> {
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
