import type { Clock } from "../../../lib/index.ts";
import type { NodeDisk } from "../boot/node-disk.ts";
import type { NodeConfig } from "../config/node-config.ts";

/** What a cluster sees of its nodes. */
export interface ClusterNode {
  readonly nodeId: string;
  readonly config: NodeConfig | undefined;
  readonly disk: NodeDisk;
  readonly isEtcdRunning: boolean;
  readonly world: { clock: Clock };
  hostname(): string;
  addresses(): string[];
}

/** What a node tells the discovery service about itself. */
export interface Affiliate {
  nodeId: string;
  hostname: string;
  addresses: string[];
  machineType: "controlplane" | "worker";
  operatingSystem: string;
}

/** The discovery service forgets who has been silent for half an hour. */
const forgetAfterMs = 30 * 60_000;

/** Who the nodes of a cluster believe to be its members: those that are up, and for a while those that were. */
export class Discovery {
  readonly #gone = new Map<string, { affiliate: Affiliate; at: number }>();

  /** The node went down without a word; others go on believing in it. */
  lose(node: ClusterNode): void {
    if (node.config?.hasDiscovery !== true) return;
    this.#gone.set(node.nodeId, { affiliate: affiliateOf(node), at: node.world.clock.now() });
  }

  /** The node took its leave, as a reset does. */
  forget(node: ClusterNode): void {
    this.#gone.delete(node.nodeId);
  }

  members(up: Iterable<ClusterNode>, now: number): Affiliate[] {
    const live = [...up].filter((node) => node.config?.hasDiscovery === true).map(affiliateOf);
    const isNew = ({ nodeId, hostname }: Affiliate) =>
      !live.some((other) => other.nodeId === nodeId || other.hostname === hostname);
    const lost = [...this.#gone.values()]
      .filter(({ affiliate, at }) => now - at <= forgetAfterMs && isNew(affiliate))
      .map(({ affiliate }) => affiliate);
    return [...live, ...lost];
  }
}

const affiliateOf = (node: ClusterNode): Affiliate => ({
  nodeId: node.nodeId,
  hostname: node.hostname(),
  addresses: node.addresses(),
  machineType: node.config?.role ?? "worker",
  operatingSystem: `Talos (v${node.disk.version})`,
});
