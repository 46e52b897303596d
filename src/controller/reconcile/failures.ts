import { backoffMs, type Clock } from "../../lib/index.ts";
import { approvedPlan, requestedAt, type SlipwayCluster } from "../objects/index.ts";

/** Runs that did not end well: each makes the next attempt wait longer, until the object says something else. */
export interface Failures {
  recent(object: SlipwayCluster): { text: string; restMs: number } | undefined;
  note(object: SlipwayCluster, text: string): void;
  /** Somebody else works on it; it is tried again soon. */
  noteHeld(object: SlipwayCluster, text: string): void;
  /** All is well again, as a run or a check has shown. */
  clear(name: string): void;
  /** Its object is gone; another one of that name knows nothing of it. */
  forget(name: string): void;
  isVerified(name: string): boolean;
}

interface Failure {
  asked: string;
  count: number;
  text: string;
  untilMs: number;
}

const firstMs = 5_000;
const mostMs = 10 * 60_000;
const heldMs = 30_000;

export function failuresBy(clock: Clock, spread: (ms: number) => number): Failures {
  const known = new Map<string, Failure>();
  const verified = new Set<string>();
  const set = ({ metadata }: SlipwayCluster, failure: Omit<Failure, "untilMs">, waitMs: number): void => {
    verified.delete(metadata.name);
    known.set(metadata.name, { ...failure, untilMs: clock.now() + spread(waitMs) });
  };
  return {
    recent(object) {
      const found = known.get(object.metadata.name);
      if (found?.asked !== askedBy(object)) return undefined;
      const restMs = found.untilMs - clock.now();
      return restMs > 0 ? { text: found.text, restMs } : undefined;
    },
    note(object, text) {
      const [asked, before] = [askedBy(object), known.get(object.metadata.name)];
      const count = before?.asked === asked ? before.count + 1 : 1;
      set(object, { asked, count, text }, backoffMs(count, firstMs, mostMs));
    },
    noteHeld: (object, text) => set(object, { asked: askedBy(object), count: 0, text }, heldMs),
    isVerified: (name) => verified.has(name),
    clear(name) {
      known.delete(name);
      verified.add(name);
    },
    forget(name) {
      known.delete(name);
      verified.delete(name);
    },
  };
}

/** What a person can change to have it tried at once. */
const askedBy = ({ metadata }: SlipwayCluster): string =>
  [
    metadata.generation ?? 0,
    metadata.annotations?.[approvedPlan] ?? "",
    metadata.annotations?.[requestedAt] ?? "",
    metadata.deletionTimestamp ?? "",
  ].join();
