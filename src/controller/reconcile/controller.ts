import { createHash } from "node:crypto";
import { describeCause } from "../../errors/index.ts";
import type { KubeObject, WatchEvent } from "../../clients/kube/index.ts";
import { LockTable } from "../../engine/index.ts";
import type { RunReport } from "../../operations/index.ts";
import { recordEvents, startInformer, WorkQueue, type Informer, type Requeue } from "../machinery/index.ts";
import {
  apiVersion,
  approvedPlan,
  requestedAt,
  type SlipwayCluster,
  type SlipwayHosts,
  type SlipwayRollout,
} from "../objects/index.ts";
import { reconcileCluster } from "./cluster.ts";
import type { Controller } from "./context.ts";
import type { ControllerWorld, Observer } from "./controller-world.ts";
import { textOf } from "./conditions.ts";
import { failuresBy } from "./failures.ts";
import { hostGroups } from "./host-groups.ts";
import { reconcileHosts } from "./hosts.ts";
import { runTable } from "./runs.ts";
import { clusterFiles, secretNameOf, type ClusterFiles } from "./secrets/cluster-files.ts";
import { documentSourceOf, sourceText } from "./secrets/documents.ts";
import { watchNodes } from "./watch-nodes.ts";

/** One of several controllers that share a fleet by its hosts: a hypervisor's limits are kept by one process. */
export interface Shard {
  index: number;
  count: number;
}

export interface RunningController {
  clusters: Informer<SlipwayCluster>;
  queues: Record<"clusters" | "hosts" | "rollouts", WorkQueue>;
  /** Resolves when nothing is worked on and no run goes on, after `halt`. */
  ended: Promise<void>;
}

export interface QueueReader {
  added(queue: string): void;
  retried(queue: string): void;
  taken(queue: string, waitedMs: number): void;
}

const workers = 20;
const hostWorkers = 10;
const rolloutWorkers = 2;
/** A start is no reason to look at everything at once: what is known to be well is looked at within this time. */
const startMs = 10 * 60_000;

/** What is done about a roll-out; its room stands above this one. */
export type ReconcileRollout = (name: string, controller: Controller) => Promise<Requeue | undefined>;

/** Watches the objects and keeps their clusters, until `halt`. To be called by whoever holds the Lease. */
export function startLoop(
  world: ControllerWorld,
  observer: Observer,
  shard: Shard,
  counted: QueueReader,
  reconcileRollout: ReconcileRollout,
): RunningController {
  const spread = (ms: number): number => queues.clusters.spread(ms);
  const failures = failuresBy(world.clock, spread);
  const owns = (hosts: string): boolean => shardOf(hosts, shard.count) === shard.index;
  let areHostsKnown = false;
  const informers = openInformers(world, {
    cluster: (event) => {
      const { hosts } = event.object.spec;
      if (!owns(hosts)) return;
      controller.groups.changed(hosts);
      enqueueCluster(event, queues.clusters, world);
      if (event.type !== "MODIFIED") queues.hosts.add(hosts, "resync");
    },
    hosts: ({ object }) => {
      const { name } = object.metadata;
      if (!owns(name)) return;
      queues.hosts.add(name, "change");
      // What is read at the start is no news: each cluster has its own time then.
      if (!areHostsKnown) return;
      for (const cluster of controller.groups.clustersOf(name))
        queues.clusters.add(cluster.metadata.name, "change");
    },
    rollout: ({ object }) => {
      if (shard.index === 0) queues.rollouts.add(object.metadata.name, "change");
    },
  });
  void informers.hosts.synced.then(() => (areHostsKnown = true));
  const groups = hostGroups(world, informers.hosts, informers.clusters);
  const queues: RunningController["queues"] = {
    clusters: queueOf(world, "clusters", workers, counted, (key) => reconcileCluster(key, controller)),
    hosts: queueOf(world, "hosts", hostWorkers, counted, (key) => reconcileHosts(key, controller)),
    rollouts: queueOf(world, "rollouts", rolloutWorkers, counted, (key) => reconcileRollout(key, controller)),
  };
  const files = new Map<string, { key: string; files: ClusterFiles }>();
  const controller: Controller = {
    ...{ world, observer, groups, failures, ...informers, queue: queues.clusters, locks: new LockTable() },
    nodes: watchNodes({
      clock: world.clock,
      signal: world.halt,
      onChange: (cluster) => queues.clusters.add(cluster, "repair"),
    }),
    runs: runTable({
      world,
      observer,
      onProgress: (cluster) => queues.clusters.add(cluster, "repair"),
      onEnd: (cluster, run) => endRun(cluster, run, controller),
    }),
    record: recordEvents({ ...world, source: "slipway-controller", instance: world.identity }),
    filesOf(object, folder) {
      const { uid = "", deletionTimestamp = "" } = object.metadata;
      const documents = documentSourceOf(object);
      const key = [uid, deletionTimestamp, secretNameOf(object), documents && sourceText(documents)].join(
        " ",
      );
      const before = files.get(object.metadata.name);
      if (before?.key === key) return before.files;
      const opened = clusterFiles({ ...world, object, folder });
      files.set(object.metadata.name, { key, files: opened });
      return opened;
    },
    forgetFiles: (name) => void files.delete(name),
    ...{ published: new Map(), lastRuns: new Map(), removed: new Set(), machines: new Map() },
    caredAt: new Map(),
  };
  return { clusters: informers.clusters, queues, ended: work(controller, queues) };
}

/** Begins when all objects are known: a cluster is planned beside those that share its hosts. */
async function work(controller: Controller, queues: RunningController["queues"]): Promise<void> {
  const { world, clusters, hosts, rollouts, runs } = controller;
  const halted = new Promise<void>((resolve) => {
    if (world.halt.aborted) resolve();
    world.halt.addEventListener("abort", () => resolve(), { once: true });
  });
  await Promise.race([Promise.all([clusters.synced, hosts.synced, rollouts.synced]), halted]);
  for (const queue of Object.values(queues)) queue.start(world.halt);
  await halted;
  await runs.idle();
  await Promise.all(Object.values(queues).map((queue) => queue.idle()));
}

/** The same hosts always go to the same controller. */
const shardOf = (hosts: string, count: number): number =>
  createHash("sha256").update(hosts).digest().readUInt32BE() % count;

interface Readers {
  cluster(event: WatchEvent<SlipwayCluster>): void;
  hosts(event: WatchEvent<SlipwayHosts>): void;
  rollout(event: WatchEvent<SlipwayRollout>): void;
}

/** Our own writes of a status are no news; what a person can change is. */
function openInformers({ client, namespace, clock, halt, log }: ControllerWorld, readers: Readers) {
  const open = <T extends KubeObject>(kind: string, read: (event: WatchEvent<T>) => void): Informer<T> => {
    const told = new Map<string, string>();
    return startInformer<T>({
      ...{ client, clock, signal: halt, query: { apiVersion, kind, namespace } },
      onTrouble: (why) => log("warn", `${kind} objects cannot be watched: ${why}`),
      onChange(event) {
        const { name } = event.object.metadata;
        const news = event.type === "DELETED" ? "deleted" : newsIn(event.object);
        if (told.get(name) === news) return;
        if (event.type === "DELETED") told.delete(name);
        else told.set(name, news);
        read(event);
      },
    });
  };
  return {
    clusters: open<SlipwayCluster>("SlipwayCluster", readers.cluster),
    hosts: open<SlipwayHosts>("SlipwayHosts", readers.hosts),
    rollouts: open<SlipwayRollout>("SlipwayRollout", readers.rollout),
  };
}

const newsIn = ({ metadata }: KubeObject): string =>
  [
    metadata.uid,
    metadata.generation,
    metadata.deletionTimestamp,
    metadata.annotations?.[approvedPlan],
    metadata.annotations?.[requestedAt],
  ].join();

function enqueueCluster(
  { type, object }: WatchEvent<SlipwayCluster>,
  queue: WorkQueue,
  { clock, random }: ControllerWorld,
): void {
  const { name } = object.metadata;
  if (type === "ADDED" && isWell(object)) {
    const share = random.bytes(4).readUInt32BE() / 2 ** 32;
    queue.addAfter(name, share * Math.max(0, startMs - ageOf(object, clock.now())), "resync");
  } else queue.add(name, type === "ADDED" && isKnown(object) ? "repair" : "change");
}

const isKnown = ({ metadata, status }: SlipwayCluster): boolean =>
  metadata.deletionTimestamp === undefined && status?.observedGeneration === metadata.generation;

const isWell = (object: SlipwayCluster): boolean =>
  isKnown(object) &&
  object.status?.phase === "Ready" &&
  object.status.reachedGeneration === object.metadata.generation;

/** How long ago it was planned, at least. */
const ageOf = ({ status }: SlipwayCluster, nowMs: number): number =>
  nowMs - Date.parse(status?.plan?.madeAt ?? new Date(nowMs).toISOString());

function queueOf(
  { clock, random, log }: ControllerWorld,
  name: string,
  count: number,
  counted: QueueReader,
  reconcile: (key: string) => Promise<Requeue | undefined>,
): WorkQueue {
  return new WorkQueue({
    ...{ clock, random, workers: count, work: reconcile },
    onAdded: () => counted.added(name),
    onStarted: (_key, waitedMs) => counted.taken(name, waitedMs),
    onFailure(key, thrown, retryMs) {
      counted.retried(name);
      log("warn", `${key} is looked at again in ${Math.round(retryMs / 1000)} s: ${describeCause(thrown)}`);
    },
  });
}

/** What a run leaves for the next look at its cluster. */
function endRun(
  name: string,
  { name: run, command, report }: { name: string; command: string; report: RunReport },
  controller: Controller,
): void {
  const { world, clusters, groups, failures, lastRuns, queue } = controller;
  const finishedAt = new Date(world.clock.now()).toISOString().replace(/\.\d+/, "");
  lastRuns.set(name, { name: run, command, outcome: report.outcome, finishedAt });
  const object = clusters.get(name);
  if (object) groups.changed(object.spec.hosts);
  const { error, outcome } = report;
  const text = error
    ? textOf(error)
    : `"${command}" ended as ${outcome}; see kubectl describe slipwayrun ${run}`;
  if (object && error?.code === "RUN_CLUSTER_HELD") failures.noteHeld(object, text);
  else if (object && (outcome === "failed" || outcome === "refused")) failures.note(object, text);
  else failures.clear(name);
  queue.add(name, "repair");
}
