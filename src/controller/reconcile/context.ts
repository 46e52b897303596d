import type { LockTable } from "../../engine/index.ts";
import type { Informer, RecordEvent, WorkQueue } from "../machinery/index.ts";
import type { RunSummary, SlipwayCluster, SlipwayHosts, SlipwayRollout } from "../objects/index.ts";
import type { ControllerWorld, Observer } from "./controller-world.ts";
import type { Failures } from "./failures.ts";
import type { HostGroups } from "./host-groups.ts";
import type { RunTable } from "./runs.ts";
import type { ClusterFiles } from "./secrets/cluster-files.ts";
import type { NodeWatches } from "./watch-nodes.ts";

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
  /** What is known of them, not the Secrets themselves. */
  forgetFiles(name: string): void;
  /** What was last published of each cluster. */
  published: Map<string, string>;
  lastRuns: Map<string, RunSummary>;
  /** The machines of each cluster as they were last seen on its hosts, a line each. */
  machines: Map<string, string>;
  /** When each cluster was last looked after, by its name. */
  caredAt: Map<string, number>;
  /** Objects whose clusters are gone, by their uid. */
  removed: Set<string>;
}
