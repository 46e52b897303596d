import type { Clock, Random } from "../../lib/index.ts";
import type { FaultBox } from "../faults.ts";
import type { ClusterView } from "../cluster-view.ts";
import type { BootGuest } from "../guest.ts";
import type { Latencies } from "../latency.ts";
import type { SimNetwork } from "../network.ts";
import { ClusterTable, type TalosClustersState } from "./etcd/cluster.ts";
import { liveNode } from "./live-node.ts";
import { TalosNode } from "./node.ts";

export interface TalosGuestsOptions {
  network: SimNetwork;
  clock: Clock;
  latencies: Latencies;
  faults: FaultBox;
  random: Random;
  /** What `state()` gave at the end of an earlier run. */
  saved?: TalosClustersState | undefined;
  /** Something of `state()` changed. */
  onChange?(): void;
}

export interface TalosGuests {
  /** Powers a machine on whose disk or ISO holds Talos. */
  boot: BootGuest;
  /** What the clusters hold beyond their nodes' disks: etcd members and Kubernetes objects. */
  state(): TalosClustersState;
  /** Successful bootstraps so far, by cluster name. */
  bootstraps(): Record<string, number>;
  /** Snapshots that were brought back so far, by cluster name. */
  recoveries(): Record<string, number>;
  /** The clusters of these nodes as they are this moment. */
  clusters(): ClusterView[];
  /** Nodes that stopped because the simulator could not go on, e.g. an address that is taken. */
  failures(): TalosFailure[];
  close(): Promise<void>;
}

export interface TalosFailure {
  node: string;
  error: unknown;
}

/** Simulated Talos nodes, all in one network. */
export function talosGuests(options: TalosGuestsOptions): TalosGuests {
  const { network, clock, latencies, faults, random } = options;
  const clusters = new ClusterTable<TalosNode>(options.saved ?? {}, { clock, random }, () =>
    options.onChange?.(),
  );
  const world = { network, clock, latencies, faults, random, clusters };
  const running = new Set<() => Promise<void>>();
  const failures: TalosFailure[] = [];
  return {
    boot(hardware, disks, power) {
      const node = new TalosNode(hardware, disks, power, world);
      const cut = new AbortController();
      const life = liveNode(node, cut.signal).catch((error: unknown) => {
        if (cut.signal.aborted) return;
        failures.push({ node: hardware.name, error });
        power.powerOff();
      });
      const stop = async () => {
        running.delete(stop);
        cut.abort(new Error("power is cut"));
        await life;
      };
      running.add(stop);
      return {
        stop,
        shutdown: () => node.end({ kind: "shutdown" }),
        agentAddresses: () => node.links().map(({ name, mac, cidrs }) => ({ name, mac, addresses: cidrs })),
      };
    },
    state: () => clusters.toJSON(),
    bootstraps: () => Object.fromEntries(clusters.all().map((cluster) => [cluster.name, cluster.bootstraps])),
    recoveries: () => Object.fromEntries(clusters.all().map((cluster) => [cluster.name, cluster.recoveries])),
    clusters: () => clusters.all().map((cluster) => cluster.view()),
    failures: () => failures,
    async close() {
      await Promise.all([...running].map((stop) => stop()));
    },
  };
}
