import type { RunSummary } from "../../protocol.ts";
import type { RunFeed } from "./run-feed.ts";
import { runsOf } from "./mood.ts";
import { useStore, type Store } from "./store.ts";

export interface ShownRun {
  summary: RunSummary | undefined;
  feed: RunFeed;
  /** There is a newer one of this cluster. */
  isOld: boolean;
}

/** The run that the address names, else the newest of the cluster. Whoever calls it is drawn again when it goes on. */
export function useRun(cluster: string): ShownRun | undefined {
  const store = useStore();
  const { query } = store.route.value;
  const own = runsOf(store.runs.value, cluster);
  const wanted = query["run"] ?? own[0]?.run;
  if (wanted === undefined) return undefined;
  const feed = store.feedOf(wanted);
  // Read so that the caller is told of what comes.
  void feed.version.value;
  return {
    summary: own.find(({ run }) => run === wanted),
    feed,
    isOld: own[0] !== undefined && own[0].run !== wanted,
  };
}

/** Whether there is more to come. */
export const isGoingOn = ({ feed, summary }: ShownRun): boolean =>
  feed.state.done === undefined && feed.link.value !== "ended" && summary?.outcome === undefined;

/** Milliseconds since the run began: by the wall while it goes on, by its last event when it is over or simulated. */
export function runClock(store: Store, shown: ShownRun): number {
  const { feed } = shown;
  const last = feed.events.at(-1);
  if (!last) return 0;
  const isTicking = isGoingOn(shown) && feed.state.run?.world !== "rehearsal" && !store.isLost.value;
  if (!isTicking) return last.ms;
  const sinceMs = store.now.value - (store.api?.skewMs ?? 0) - Date.parse(last.at);
  return last.ms + Math.max(0, sinceMs);
}
