import type { Clock, Random } from "../../lib/index.ts";
import type { DatacenterFile } from "../datacenter-file.ts";
import type { FaultBox } from "../faults.ts";
import type { BootGuest, Guest } from "../guest.ts";
import type { Latencies } from "../latency.ts";
import type { Consoles } from "./vm/consoles.ts";
import type { Internet } from "./nodes/internet.ts";
import type { Locks } from "./locks.ts";
import type { ProxmoxState } from "./state.ts";

/** The simulated cluster while it runs: what it remembers and what it works with. */
export interface Cluster {
  readonly file: DatacenterFile;
  readonly version: 8 | 9;
  readonly clock: Clock;
  /** Settles what the real server leaves to chance, such as the order of its lists. */
  readonly random: Random;
  readonly latencies: Latencies;
  readonly faults: FaultBox;
  readonly boot: BootGuest;
  readonly internet: Internet;
  readonly locks: Locks;
  readonly consoles: Consoles;
  /** Where each node's API listens. */
  readonly addresses: Record<string, string>;
  /** SHA-256 of each node's certificate. */
  readonly fingerprints: Record<string, string>;
  state: ProxmoxState;
  /** Machines that are switched on. */
  readonly guests: Map<number, Guest>;
  /** Tasks under way, by UPID. */
  readonly workers: Map<string, Worker>;
  changed(): void;
  /** Told when a machine has gone off, by whatever hand. */
  wentOff(vmid: number): void;
}

export interface Worker {
  abort: AbortController;
  done: Promise<void>;
}

/** Seconds since 1970 on the cluster's clock. */
export const seconds = (cluster: Cluster): number => Math.floor(cluster.clock.now() / 1000);

/** Nodes in the order of the file. */
export const nodeNames = (cluster: Cluster): string[] => Object.keys(cluster.file.nodes);

/** A node by itself is no cluster. */
export const isStandAlone = (cluster: Cluster): boolean => nodeNames(cluster).length === 1;

/** What the nodes resolve names with. */
export const resolverOf = (cluster: Cluster) => ({ nameserver: "127.0.0.1", search: cluster.file.cluster });
