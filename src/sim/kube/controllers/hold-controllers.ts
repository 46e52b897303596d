import type { Clock } from "../../../lib/index.ts";
import { ApiError } from "../api-error.ts";
import type { KubeStore } from "../store.ts";
import type { Controller } from "./controller.ts";
import { garbage } from "./garbage.ts";
import { namespaces } from "./namespaces.ts";
import { pods } from "./pods.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { workloads } from "./workloads.ts";

const controllers: Controller[] = [serviceAccounts, workloads, pods, garbage, namespaces];

/** Changes that come together are looked at together; real time, as it only saves work. */
const gatherMs = 5;
const lookAgainMs = 100;

interface Held {
  holders: number;
  stop(): void;
}

const running = new WeakMap<KubeStore, Held>();

/** Runs the controllers of a store while anybody holds them. Returns how to let go. */
export function holdControllers(store: KubeStore, clock: Clock): () => void {
  const held = running.get(store) ?? { holders: 0, stop: startControllers(store, clock) };
  held.holders += 1;
  running.set(store, held);
  return () => {
    held.holders -= 1;
    if (held.holders > 0) return;
    held.stop();
    running.delete(store);
  };
}

/** What a controller saw may be gone by the time it acts; like a real one it then looks again a little later. */
function runOnce(controller: Controller, store: KubeStore, clock: Clock): number | undefined {
  try {
    return controller.run(store, clock);
  } catch (thrown) {
    if (thrown instanceof ApiError) return lookAgainMs;
    throw thrown;
  }
}

function startControllers(store: KubeStore, clock: Clock): () => void {
  const stopped = new AbortController();
  const stops = controllers.map((controller) => {
    let isDue = false;
    let isResting = false;
    const wake = () => {
      if (isDue) return;
      isDue = true;
      setTimeout(() => {
        isDue = false;
        if (!stopped.signal.aborted) rest(runOnce(controller, store, clock));
      }, gatherMs);
    };
    // One rest at a time is enough: a controller always waits equally long, so the first to end is the one due.
    const rest = (forMs: number | undefined) => {
      if (forMs === undefined || isResting) return;
      isResting = true;
      clock.sleep(forMs, stopped.signal).then(
        () => {
          isResting = false;
          wake();
        },
        () => undefined,
      );
    };
    wake();
    return store.onChange((change) => {
      if (controller.isConcerned(change)) wake();
    });
  });
  return () => {
    stopped.abort();
    for (const stop of stops) stop();
  };
}
