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
export type { AccessRule, NewToken } from "./access.ts";
export type { CallInfo } from "./call.ts";
export type { ConsoleEvents } from "./console.ts";
export type { ApartRule, HaGroup, HaResource } from "./ha.ts";
export type { MachinePower, PastTask } from "./history.ts";
export type { Network, Processor, UrlMetadata } from "./host-facts.ts";
export { loginProxmox, type LoginOptions, type ProxmoxSession } from "./login.ts";
export type {
  GuestCard,
  MachineChange,
  MachineConfig,
  MachineRef,
  MachineState,
  MachineSummary,
  NewMachine,
} from "./machines.ts";
export type { SnapshotInfo } from "./snapshots.ts";
export type { ImageContent, ImageDownload, StorageInfo, Volume } from "./storages.ts";
export type { Task, TaskLook } from "./task.ts";
export type { NewClone } from "./templates.ts";
export type { Trust } from "./trust.ts";
export type { ImageUpload } from "./upload.ts";
export * from "./endpoints/index.ts";
