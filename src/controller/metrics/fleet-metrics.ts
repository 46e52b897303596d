import type { CallTrace } from "../../lib/index.ts";
import type { RunEvent } from "../../plan/index.ts";
import { catalogue } from "./catalogue.ts";
import type { SlipwayCluster } from "../objects/index.ts";
import { clusterFacts, clusterGauges, clusterKey, type ClusterSighting } from "./cluster-facts.ts";
import { CallMetrics } from "./follow-calls.ts";
import { followRun } from "./follow-run.ts";
import { Registry, type Sample } from "./registry.ts";

/** What a work queue says of itself. */
export interface QueueState {
  depth: number;
  /** How long the key that has been worked on for the longest time is being worked on. */
  longestRunningMs: number;
}

/** What is asked for when metrics are written. */
export interface FleetState {
  version: string;
  node: string;
  clusters(): readonly SlipwayCluster[];
  queues(): Readonly<Record<string, QueueState>>;
  isLeader(): boolean;
}

export interface FleetMetrics {
  /** Prometheus' text format. */
  text(): string;
  /** What was seen of a cluster; what is left out stays as it was seen before, until its object is gone. */
  seen(cluster: SlipwayCluster, sighting: ClusterSighting): void;
  /** A plan that is not part of a run. */
  planned(result: string, tookMs: number): void;
  /** A reader for the events of one run. */
  followRun(): (event: RunEvent) => void;
  /** Counts the calls of a world; returns how to stop. */
  followCalls(calls: CallTrace): () => void;
  /** A key was added to a queue. */
  queueAdded(queue: string): void;
  /** A key was added again because its work failed. */
  queueRetried(queue: string): void;
  /** A key left the queue to be worked on. */
  queueTaken(queue: string, waitedMs: number): void;
}

/** The metrics of one controller. */
export function fleetMetrics(state: FleetState): FleetMetrics {
  const registry = new Registry();
  let sightings = new Map<string, ClusterSighting>();
  const facts = () => {
    const objects = state.clusters().map((object) => ({ object, key: clusterKey(object) }));
    sightings = new Map(
      objects.flatMap(({ key }) => {
        const seen = sightings.get(key);
        return seen ? [[key, seen]] : [];
      }),
    );
    return objects.map(({ object, key }) => clusterFacts(object, sightings.get(key)));
  };
  const queues = (value: (queue: QueueState) => number) => (): Sample[] =>
    Object.entries(state.queues()).map(([name, queue]) => [[name], value(queue)] as const);

  registry.gauge(catalogue.buildInfo, () => [[[state.version, state.node], 1]]);
  registry.gauge(catalogue.leader, () => [[[], state.isLeader() ? 1 : 0]]);
  clusterGauges(registry, facts);
  const run = {
    planDuration: registry.histogram(catalogue.planDuration),
    runDuration: registry.histogram(catalogue.runDuration),
    stepDuration: registry.histogram(catalogue.stepDuration),
    steps: registry.counter(catalogue.steps),
    stepRetries: registry.counter(catalogue.stepRetries),
    lockWait: registry.histogram(catalogue.lockWait),
  };
  const calls = new CallMetrics(registry.histogram(catalogue.requestDuration));
  registry.gauge(catalogue.inflight, () => calls.underWay());
  registry.gauge(
    catalogue.queueDepth,
    queues(({ depth }) => depth),
  );
  registry.gauge(
    catalogue.queueLongest,
    queues(({ longestRunningMs }) => longestRunningMs / 1000),
  );
  const adds = registry.counter(catalogue.queueAdds);
  const retries = registry.counter(catalogue.queueRetries);
  const wait = registry.histogram(catalogue.queueWait);

  return {
    text: () => registry.text(),
    seen(cluster, sighting) {
      const key = clusterKey(cluster);
      sightings.set(key, { ...sightings.get(key), ...sighting });
    },
    planned: (result, tookMs) => run.planDuration.observe(["plan", result], tookMs / 1000),
    followRun: () => followRun(run),
    followCalls: (trace) => calls.follow(trace),
    queueAdded: (queue) => adds.add([queue]),
    queueRetried: (queue) => retries.add([queue]),
    queueTaken: (queue, waitedMs) => wait.observe([queue], waitedMs / 1000),
  };
}
