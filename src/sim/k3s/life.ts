import type { HostView } from "../linux/index.ts";
import type { ClusterTable } from "./cluster-table.ts";
import { Fatal, type Journal } from "./journal.ts";
import type { Settings } from "./settings.ts";

/** One run of K3s on a host, and all it needs to know. */
export interface Life {
  host: HostView;
  journal: Journal;
  settings: Settings;
  /** With its `v`. */
  version: string;
  clusters: ClusterTable;
  /** Ends with the process. */
  signal: AbortSignal;
  /** Its name and address in Kubernetes. */
  node: string;
  address: string;
}

/** What goes wrong before anything runs ends the program with these words in front. */
export async function preparing<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Fatal || !(error instanceof Error) || error.name === "AbortError") throw error;
    throw new Fatal(`starting kubernetes: preparing server: ${error.message}`);
  }
}

/** Waits for something, and says every few seconds why it still does. */
export async function waitSaying(
  { host, signal }: Pick<Life, "host" | "signal">,
  until: (signal: AbortSignal) => Promise<void>,
  say: () => void,
  everyMs = 5_000,
): Promise<void> {
  for (let isOver = false; !isOver;) {
    const round = new AbortController();
    const either = AbortSignal.any([signal, round.signal]);
    const pause = host.clock.sleep(everyMs, either).then(() => false);
    const wait = until(either).then(() => true);
    try {
      isOver = await Promise.race([wait, pause]);
    } finally {
      round.abort();
      await Promise.allSettled([wait, pause]);
    }
    if (!isOver) say();
  }
}

export const untilAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    else signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
