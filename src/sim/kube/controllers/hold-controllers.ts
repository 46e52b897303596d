import type { Clock } from "../../../lib/index.ts";
import type { KubeStore } from "../store.ts";
import type { Controller } from "./controller.ts";
import { garbage } from "./garbage.ts";
import { namespaces } from "./namespaces.ts";
import { pods } from "./pods.ts";
import { serviceAccounts } from "./service-accounts.ts";
import { workloads } from "./workloads.ts";

const controllers: Controller[] = [serviceAccounts, workloads, pods, garbage, namespaces];

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

function startControllers(store: KubeStore, clock: Clock): () => void {
  const stopped = new AbortController();
  const stops = controllers.map((controller) => {
    let isDue = false;
    const wake = () => {
      if (isDue) return;
      isDue = true;
      setImmediate(() => {
        isDue = false;
        if (stopped.signal.aborted) return;
        const againMs = controller.run(store, clock);
        if (againMs !== undefined) clock.sleep(againMs, stopped.signal).then(wake, () => undefined);
      });
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
