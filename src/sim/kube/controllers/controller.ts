import type { Clock } from "../../../lib/index.ts";
import type { Change } from "../storage.ts";
import type { KubeStore } from "../store.ts";

/** Looks at the store and takes every step that is due towards what is wanted. */
export interface Controller {
  isConcerned(change: Change): boolean;
  /** Returns after how many milliseconds it wants to look again though nothing changed. */
  run(store: KubeStore, clock: Clock): number | undefined;
}

export const concernedWith =
  (...kinds: string[]) =>
  (change: Change): boolean =>
    kinds.includes(change.kind.kind);
