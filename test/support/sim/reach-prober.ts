import type { Clock } from "../../../src/lib/index.ts";

export interface Target {
  name: string;
  /** How often it is asked, in simulated milliseconds. */
  everyMs: number;
  /** Throws where it does not answer as it should. */
  ask(signal: AbortSignal): Promise<unknown>;
}

export interface ReachReport {
  /** How long each was unreachable at a stretch at most, in simulated milliseconds. */
  longestAwayMs(name: string): number;
  /** Who was unreachable at any time. */
  everAway(): string[];
  /** The largest number of these that were unreachable at the same time. */
  mostAwayOf(names: string[]): number;
  /** How often each was asked. */
  asked(name: string): number;
  stop(): Promise<void>;
}

const patienceMs = 5_000;

/** Asks at doors of a simulated datacenter, over the wire, as long as nobody stops it. */
export function probeReach(targets: Target[], clock: Clock): ReachReport {
  const awaySince = new Map<string, number>();
  const longest = new Map<string, number>();
  const asked = new Map<string, number>();
  const together: Set<string>[] = [];
  const stop = new AbortController();
  const askOnce = async ({ name, ask }: Target): Promise<void> => {
    const askedAt = clock.now();
    const limit = new AbortController();
    const cancel = clock.after(patienceMs, () => limit.abort(new Error("no answer")));
    try {
      await ask(limit.signal);
      awaySince.delete(name);
    } catch {
      const since = awaySince.get(name) ?? askedAt;
      awaySince.set(name, since);
      longest.set(name, Math.max(longest.get(name) ?? 0, clock.now() - since));
      together.push(new Set(awaySince.keys()));
    } finally {
      cancel();
      asked.set(name, (asked.get(name) ?? 0) + 1);
    }
  };
  const lives = targets.map(async (target) => {
    while (!stop.signal.aborted) {
      await askOnce(target);
      await clock.sleep(target.everyMs, stop.signal).catch(() => undefined);
    }
  });
  return {
    longestAwayMs: (name) => longest.get(name) ?? 0,
    everAway: () => [...longest.keys()].toSorted(),
    mostAwayOf: (names) =>
      Math.max(0, ...together.map((away) => names.filter((name) => away.has(name)).length)),
    asked: (name) => asked.get(name) ?? 0,
    async stop() {
      stop.abort(new Error("the prober has seen enough"));
      await Promise.all(lives);
    },
  };
}
