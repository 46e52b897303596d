import type { Clock, Random } from "../../lib/index.ts";
import { K3sCluster, type K3sClusterState } from "./cluster.ts";

/** What all simulated K3s clusters hold beyond the disks of their nodes. */
export type K3sClustersState = K3sClusterState[];

/** The clusters of one datacenter. A host finds its own by what its database says. */
export class ClusterTable {
  readonly #waiting: Map<string, K3sClusterState>;
  readonly #clusters = new Map<string, K3sCluster>();
  readonly #random: Random;
  readonly #saved: () => void;

  constructor(saved: K3sClustersState, random: Random, onChange: () => void) {
    this.#waiting = new Map(saved.map((state) => [state.id, structuredClone(state)]));
    this.#random = random;
    this.#saved = onChange;
  }

  found(state: K3sClusterState, clock: Clock): K3sCluster {
    const made = new K3sCluster(state, { clock, random: this.#random }, this.#saved);
    this.#clusters.set(state.id, made);
    this.#saved();
    return made;
  }

  find(id: string, clock: Clock): K3sCluster | undefined {
    const known = this.#clusters.get(id);
    const state = this.#waiting.get(id);
    if (known !== undefined || state === undefined) return known;
    this.#waiting.delete(id);
    return this.found(state, clock);
  }

  all(): K3sCluster[] {
    return [...this.#clusters.values()];
  }

  toJSON(): K3sClustersState {
    return [...this.#waiting.values(), ...[...this.#clusters.values()].map((cluster) => cluster.toJSON())];
  }
}
