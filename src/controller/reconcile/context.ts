import path from "node:path";
import type { KubeClient } from "../../clients/kube/index.ts";
import type { LockTable } from "../../engine/index.ts";
import type { CallTrace, Clock, Random, Redaction } from "../../lib/index.ts";
import type { LogLevel, RunEvent, Tell } from "../../plan/index.ts";
import type { Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import type { Informer, RecordEvent, WorkQueue } from "../machinery/index.ts";
import type { ClusterSighting } from "../metrics/index.ts";
import type { RunSummary, SlipwayCluster, SlipwayHosts, SlipwayRollout } from "../objects/index.ts";
import type { Failures } from "./failures.ts";
import type { HostGroups } from "./host-groups.ts";
import type { RunTable } from "./runs.ts";
import type { ClusterFiles } from "./secrets/cluster-files.ts";
import type { NodeWatches } from "./watch-nodes.ts";

/** The outside of the controller, passed in: a real one, or one whose time and wires are simulated. */
export interface ControllerWorld {
  /** The API server that the objects live on. */
  client: KubeClient;
  /** The controller's own: objects and Secrets are looked for here alone. */
  namespace: string;
  /** Which process this is: `POD_UID`. */
  identity: string;
  /** Where files of clusters are laid out while they are worked on. */
  folder: string;
  clock: Clock;
  random: Random;
  redaction: Redaction;
  calls: CallTrace;
  /** The outside of a fleet, as the command line has it. */
  openWorld(fleet: Fleet, tell: Tell): World;
  /** First signal: nothing new is begun, and what runs comes to its end. */
  halt: AbortSignal;
  /** Second one: what runs lets go as soon as it can. */
  stop: AbortSignal;
  log(level: LogLevel, text: string): void;
}

/** Told what happens, to be counted and traced. */
export interface Observer {
  planned(result: "done" | "failed", tookMs: number): void;
  /** What was seen of a cluster; what is left out stays as it was. */
  seen(object: SlipwayCluster, sighting: ClusterSighting): void;
  /** A reader for the events of one run. */
  followRun(): (event: RunEvent) => void;
}

/** What the parts of the loop share. */
export interface Controller {
  world: ControllerWorld;
  observer: Observer;
  clusters: Informer<SlipwayCluster>;
  hosts: Informer<SlipwayHosts>;
  rollouts: Informer<SlipwayRollout>;
  groups: HostGroups;
  nodes: NodeWatches;
  runs: RunTable;
  queue: WorkQueue;
  locks: LockTable;
  record: RecordEvent;
  failures: Failures;
  /** The Secrets that hold files of clusters. */
  filesOf(object: SlipwayCluster, folder: string): ClusterFiles;
  /** What was last published of each cluster. */
  published: Map<string, string>;
  lastRuns: Map<string, RunSummary>;
  /** The machines of each cluster as they were last seen on its hosts, in one line. */
  machines: Map<string, string>;
  /** When each cluster was last looked after, by its name. */
  caredAt: Map<string, number>;
  /** Objects whose clusters are gone, by their uid. */
  removed: Set<string>;
}

/** Who owns the fields that the controller writes. */
export const fieldManager = "slipway-controller";

/** Where the files of the hosts of a cluster lie, and those of the clusters beside them. */
export const folderOf = ({ spec }: SlipwayCluster, { folder }: ControllerWorld): string =>
  path.join(folder, spec.hosts);
