import { setMaxListeners } from "node:events";
import { inNextTurn, type Clock } from "../../../lib/index.ts";
import { clusterFaults, type ClusterFaults } from "../../cluster-faults.ts";
import { ApiError } from "../store/api-error.ts";
import { ClusterIndex } from "../store/cluster-index.ts";
import { runtimeOf } from "../kubelet/runtime.ts";
import { newSite } from "../site.ts";
import type { Change } from "../store/storage.ts";
import type { KubeStore } from "../store/store.ts";
import type { Cluster, Controller, PodTimes, Site } from "./controller.ts";
import { apiServices } from "./api-services.ts";
import { budgets } from "./workloads/budgets.ts";
import { claims } from "./claims.ts";
import { cloudNodes } from "./nodes/cloud-nodes.ts";
import { endpoints } from "./network/endpoints.ts";
import { garbage } from "./garbage.ts";
import { loadBalancers } from "./network/load-balancers.ts";
import { namespaces, serviceAccounts } from "./namespaces.ts";
import { nodeReadiness } from "./nodes/node-readiness.ts";
import { pods } from "./nodes/pods.ts";
import { signingRequests } from "./nodes/signing-requests.ts";
import { workloads } from "./workloads/workloads.ts";

const lookAgainMs = 1_000;
const usualTimes: PodTimes = { imagePullMs: 1_500, podStartMs: 500 };

export interface ControllerOptions {
  faults?: ClusterFaults | undefined;
  times?: PodTimes | undefined;
  /** Beside the usual ones; what the first holder brings counts. */
  more?: Controller[] | undefined;
  /** Left out: it is alone. */
  site?: Site | undefined;
}

interface Held {
  holders: number;
  stop(): void;
}

const running = new WeakMap<KubeStore, Held>();

/** Runs the controllers of a store while anybody holds them. Returns how to let go. */
export function holdControllers(store: KubeStore, clock: Clock, options: ControllerOptions = {}): () => void {
  const held = running.get(store) ?? { holders: 0, stop: startControllers(store, clock, options) };
  held.holders += 1;
  running.set(store, held);
  return () => {
    held.holders -= 1;
    if (held.holders > 0) return;
    held.stop();
    running.delete(store);
  };
}

function startControllers(store: KubeStore, clock: Clock, options: ControllerOptions): () => void {
  const cluster: Cluster = {
    store,
    clock,
    index: new ClusterIndex(store),
    faults: options.faults ?? clusterFaults(),
    runtime: runtimeOf(store),
    times: options.times ?? usualTimes,
    site: options.site ?? newSite(),
  };
  const stopped = new AbortController();
  // Every pod that waits for something waits for this too.
  setMaxListeners(0, stopped.signal);
  const installed = cluster.site.programs.flatMap(({ controllers = [] }) => controllers);
  const queues = [...allControllers, ...installed, ...(options.more ?? [])].map(
    (controller) => new WorkQueue(controller, cluster, stopped.signal),
  );
  const lookAtAll = () => {
    for (const object of [...cluster.index.everything()]) {
      const kind = store.kindOf(object.apiVersion, object.kind);
      const change: Change = { type: "ADDED", kind, object, revision: store.revision };
      for (const queue of queues) queue.see(change);
    }
  };
  const unsubscribe = store.onChange((change) => {
    cluster.index.see(change);
    for (const queue of queues) queue.see(change);
  });
  const forget = cluster.faults.onChange(lookAtAll);
  cluster.site.clusters.add(cluster);
  lookAtAll();
  return () => {
    stopped.abort();
    cluster.site.clusters.delete(cluster);
    unsubscribe();
    forget();
  };
}

/** The keys a controller has to look at: each once however often it was named, and again when its time comes. */
class WorkQueue {
  readonly #controller: Controller;
  readonly #cluster: Cluster;
  readonly #signal: AbortSignal;
  readonly #waiting = new Map<string, number>();
  #due = new Set<string>();

  constructor(controller: Controller, cluster: Cluster, signal: AbortSignal) {
    this.#controller = controller;
    this.#cluster = cluster;
    this.#signal = signal;
  }

  see(change: Change): void {
    for (const key of this.#controller.concerns(change, this.#cluster)) this.#wake(key);
  }

  #wake(key: string): void {
    // Changes that come together are looked at together.
    if (this.#due.size === 0) inNextTurn(() => this.#work());
    this.#due.add(key);
  }

  #work(): void {
    const keys = this.#due;
    this.#due = new Set();
    for (const key of keys) if (!this.#signal.aborted) this.#rest(key, this.#runOnce(key));
  }

  /** What a controller saw may be gone by the time it acts; like a real one it then looks again a little later. */
  #runOnce(key: string): number | undefined {
    try {
      return this.#controller.run(key, this.#cluster);
    } catch (thrown) {
      if (thrown instanceof ApiError) return lookAgainMs;
      throw thrown;
    }
  }

  #rest(key: string, forMs: number | undefined): void {
    if (forMs === undefined) return;
    const { clock } = this.#cluster;
    const atMs = clock.now() + forMs;
    const earlier = this.#waiting.get(key);
    if (earlier !== undefined && earlier <= atMs) return;
    this.#waiting.set(key, atMs);
    clock.sleep(forMs, this.#signal).then(
      () => {
        if (this.#waiting.get(key) === atMs) this.#waiting.delete(key);
        this.#wake(key);
      },
      () => undefined,
    );
  }
}

const allControllers: Controller[] = [
  serviceAccounts,
  workloads,
  pods,
  nodeReadiness,
  cloudNodes,
  signingRequests,
  endpoints,
  loadBalancers,
  claims,
  budgets,
  apiServices,
  garbage,
  namespaces,
];
