import type { Distribution, NodeInspection } from "../../plan/index.ts";
import type { Cluster } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";

/** What the control planes of a cluster hold of its database. */
export interface DatabaseState {
  /** They answer for a database that works. */
  working: string[];
  /** They hold a part of one that does not. */
  holding: string[];
  /** They answer with secrets that are not ours. */
  foreign: string[];
}

/** A database that only starts is up by then; one that has lost its majority stays as it is. */
const settledMs = 60_000;
const everyMs = 3_000;

/** Asks all control planes, until those that hold something have had the time to come up. Changes nothing. */
export async function askDatabase(
  distribution: Pick<Distribution, "inspect">,
  cluster: Cluster,
  { clock, stop }: Pick<World, "clock" | "stop">,
): Promise<DatabaseState> {
  const startedAt = clock.now();
  for (;;) {
    const state = stateIn(cluster, await distribution.inspect(cluster, stop));
    const isSettled = state.holding.length === 0 || clock.now() - startedAt >= settledMs;
    if (isSettled || state.working.length > 0) return state;
    await clock.sleep(everyMs, stop);
  }
}

function stateIn({ nodes }: Cluster, inspected: ReadonlyMap<string, NodeInspection>): DatabaseState {
  const found = nodes
    .filter(({ role }) => role === "control-plane")
    .flatMap(({ name }) => inspected.get(name) ?? []);
  const named = (is: (node: NodeInspection) => boolean): string[] => found.filter(is).map(({ node }) => node);
  return {
    working: named(({ database }) => (database?.members.length ?? 0) > 0),
    holding: named(
      ({ state, database }) =>
        state === "ours" && database?.members.length === 0 && database.isWaiting !== true,
    ),
    foreign: named(({ state }) => state === "foreign"),
  };
}
