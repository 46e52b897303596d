import process from "node:process";
import type { CallTrace } from "../lib/index.ts";
import type { RunEvent } from "../plan/index.ts";
import { slipwayVersion } from "../world/index.ts";
import { noCustomResources } from "./errors.ts";
import { acquireLease } from "./machinery/index.ts";
import { fleetMetrics, serveProbes, type ClusterSighting, type FleetMetrics } from "./metrics/index.ts";
import { apiVersion, type SlipwayCluster } from "./objects/index.ts";
import { startLoop, type ControllerWorld, type RunningController, type Shard } from "./reconcile/index.ts";
import { reconcileRollout } from "./rollout/index.ts";
import { openTraces, traceTarget } from "./traces/index.ts";

export interface ControllerOptions extends ControllerWorld {
  /** Where OpenTelemetry's variables are. */
  env: NodeJS.ProcessEnv;
  shard: Shard;
  /** Where `/metrics`, `/healthz` and `/readyz` are served; left out: nowhere. */
  port?: number | undefined;
  /** Told when this process has become the one that works. */
  onLeading?(): void;
}

/** How a controller ended: it was asked to, or another one has taken over. */
export type ControllerEnd = "halted" | "lost";

/**
 * Runs until it is halted or has lost its Lease. Then nothing new is begun, and what has begun comes to its end: whoever takes over
 * waits for it at the lock on the hypervisor.
 */
export async function runController(options: ControllerOptions): Promise<ControllerEnd> {
  const { client, clock, namespace, identity, shard, halt } = options;
  await demandKinds(options);
  const state: State = { isLeading: false, isSynced: false };
  const metrics = metricsOf(state);
  const traces = tracesOf(options);
  const endMetrics = metrics.followCalls(options.calls);
  const probes =
    options.port === undefined
      ? undefined
      : await serveProbes(
          { metrics: () => metrics.text(), notReady: () => notReady(state) },
          { port: options.port },
        );
  try {
    const lease = await acquireLease({
      ...{ client, clock, namespace, identity, signal: halt, name: leaseName(shard) },
      onTrouble: (why) => options.log("warn", `the Lease is not held: ${why}`),
    });
    state.isLeading = true;
    options.onLeading?.();
    const ending = AbortSignal.any([halt, lease.lost]);
    const counted = {
      added: (queue: string) => metrics.queueAdded(queue),
      retried: (queue: string) => metrics.queueRetried(queue),
      taken: (queue: string, waitedMs: number) => metrics.queueTaken(queue, waitedMs),
    };
    const observer = observerOf(metrics, traces, options.calls);
    state.loop = startLoop({ ...options, halt: ending }, observer, shard, counted, reconcileRollout);
    void state.loop.clusters.synced.then(() => (state.isSynced = true));
    await state.loop.ended;
    state.isLeading = false;
    await lease.release();
    return lease.lost.aborted ? "lost" : "halted";
  } catch (thrown) {
    if (halt.aborted) return "halted";
    throw thrown;
  } finally {
    endMetrics();
    await traces?.close();
    await probes?.close();
  }
}

const leaseName = ({ index, count }: Shard): string =>
  count === 1 ? "slipway-controller" : `slipway-controller-${index}`;

async function demandKinds({ client, halt }: ControllerOptions): Promise<void> {
  const kinds = await client.kinds(halt);
  const isKnown = kinds.some(
    (served) => served.kind === "SlipwayCluster" && served.apiVersion === apiVersion,
  );
  if (!isKnown) throw noCustomResources({ server: client.server });
}

interface State {
  loop?: RunningController;
  isLeading: boolean;
  /** All objects have been seen once. */
  isSynced: boolean;
}

/** Whoever stands by is ready to lead. */
const notReady = ({ loop, isSynced }: State): string | undefined =>
  loop && !isSynced ? "the objects have not all been read yet" : undefined;

const metricsOf = (state: State): FleetMetrics =>
  fleetMetrics({
    version: slipwayVersion,
    node: process.version,
    clusters: () => state.loop?.clusters.list() ?? [],
    queues: () => state.loop?.queues ?? {},
    isLeader: () => state.isLeading,
  });

const tracesOf = ({ env, clock, redaction, log }: ControllerOptions) => {
  const target = traceTarget(env);
  const warn = (text: string): void => log("warn", text);
  return target && openTraces({ target, version: slipwayVersion, clock, redaction, warn });
};

function observerOf(metrics: FleetMetrics, traces: ReturnType<typeof tracesOf>, calls: CallTrace) {
  return {
    planned: (result: string, tookMs: number) => metrics.planned(result, tookMs),
    seen: (object: SlipwayCluster, sighting: ClusterSighting) => metrics.seen(object, sighting),
    followRun() {
      const readers = [metrics.followRun(), ...(traces ? [traces.followRun(calls)] : [])];
      return (event: RunEvent) => {
        for (const read of readers) read(event);
      };
    },
  };
}
