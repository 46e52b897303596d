/** Speaks to a Proxmox VE server: connections, log-in, calls, tasks. It knows nothing of clusters. */
export {
  connectProxmox,
  type Guest,
  type NodeInfo,
  type NodeStatus,
  type ProxmoxClient,
  type ProxmoxOptions,
  type RunningTask,
} from "./client.ts";
export type { CallInfo } from "./call.ts";
export type { ApartRule, HaGroup, HaResource } from "./ha.ts";
export type { MachineChange, MachineConfig, MachineRef, MachineSummary, NewMachine } from "./machines.ts";
export type { ImageDownload, StorageInfo, Volume } from "./storages.ts";
export type { Task, TaskLook } from "./task.ts";
export type { Trust } from "./trust.ts";
export type { ImageUpload } from "./upload.ts";
export * from "./endpoints/index.ts";
