/**
 * Simulated Talos nodes: the life of a machine from maintenance mode to a member of a cluster, behind the real API
 * with real certificates. Start reading at `live-node.ts`.
 */
export { talosGuests, type TalosFailure, type TalosGuests, type TalosGuestsOptions } from "./guests.ts";
export type { ClusterState, TalosClustersState } from "./etcd/cluster.ts";
export type { EtcdMemberState } from "../etcd/index.ts";
