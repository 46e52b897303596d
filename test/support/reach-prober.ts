import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, Dial } from "../../src/lib/index.ts";

export interface Target {
  name: string;
  host: string;
  port: number;
}

export interface ReachReport {
  /** How long each was unreachable at a stretch at most, in simulated milliseconds. */
  longestAwayMs(name: string): number;
  /** Who was unreachable at any time. */
  everAway(): string[];
  /** The largest number of these that were unreachable at the same time. */
  mostAwayOf(names: string[]): number;
  rounds(): number;
  stop(): Promise<void>;
}

const everyMs = 200;

/** Knocks at doors of a simulated datacenter, over the wire and every 200 simulated milliseconds, as long as nobody stops it. */
export function probeReach(targets: Target[], dial: Dial, clock: Clock): ReachReport {
  const awaySince = new Map<string, number>();
  const longest = new Map<string, number>();
  const together: Set<string>[] = [];
  const stop = new AbortController();
  let count = 0;
  const knock = async ({ name, host, port }: Target): Promise<void> => {
    const askedAt = clock.now();
    try {
      (await dial({ host, port }, AbortSignal.timeout(5_000))).destroy();
      awaySince.delete(name);
    } catch {
      const since = awaySince.get(name) ?? askedAt;
      awaySince.set(name, since);
      longest.set(name, Math.max(longest.get(name) ?? 0, clock.now() - since));
    }
  };
  const life = (async () => {
    while (!stop.signal.aborted) {
      await Promise.all(targets.map(knock));
      together.push(new Set(awaySince.keys()));
      count += 1;
      await clock.sleep(everyMs, stop.signal).catch(() => sleep(0));
    }
  })();
  return {
    longestAwayMs: (name) => longest.get(name) ?? 0,
    everAway: () => [...longest.keys()].toSorted(),
    mostAwayOf: (names) =>
      Math.max(0, ...together.map((away) => names.filter((name) => away.has(name)).length)),
    rounds: () => count,
    async stop() {
      stop.abort(new Error("the prober has seen enough"));
      await life;
    },
  };
}
