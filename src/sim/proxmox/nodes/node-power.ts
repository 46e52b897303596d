import type { Cluster } from "../cluster.ts";
import { callManagerForAll } from "../ha/manager.ts";
import { isOnline } from "./quorum.ts";
import { bootVm, cutPower } from "../vm/power.ts";

/** off: without power, guests included · cut-off: it runs, and nobody can reach it · on: as it should be. */
export const nodePowers = ["on", "off", "cut-off"] as const;
export type NodePower = (typeof nodePowers)[number];

/**
 * Takes a node away from the cluster or gives it back. A node that comes back from `off` starts the machines that ask
 * for it with `onboot`; half of the nodes away, and the cluster has lost its quorum.
 */
export async function setNode(cluster: Cluster, node: string, power: NodePower): Promise<void> {
  const { state } = cluster;
  const guests = Object.values(state.vms).filter((vm) => vm.node === node);
  if (power === "on") {
    if (isOnline(cluster, node)) return;
    delete state.offline[node];
    for (const vm of guests) if (Number(vm.config["onboot"] ?? 0) === 1 && !vm.running) bootVm(cluster, vm);
    callManagerForAll(cluster);
  } else {
    state.offline[node] ??= cluster.clock.now();
    if (power === "off") await Promise.all(guests.map((vm) => cutPower(cluster, vm)));
  }
  cluster.changed();
}
