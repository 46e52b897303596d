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
export { schemaReleases } from "./endpoints/schema.ts";
export type { AccessCalls, AccessRule, NewToken } from "./calls/access.ts";
export type { CallInfo } from "./wire/call.ts";
export type { AccountCalls } from "./calls/accounts.ts";
export type { BackupCalls, MachineArchive } from "./calls/backups.ts";
export type { ConsoleCalls, ConsoleEvents } from "./calls/console.ts";
export type { AntiAffinityRule, HaCalls, HaGroup, HaResource } from "./calls/ha.ts";
export type { HistoryCalls, MachinePower, PastTask } from "./calls/history.ts";
export type { HostFactCalls, Network, Processor, TagRules, UrlMetadata } from "./calls/host-facts.ts";
export { loginProxmox, type LoginOptions, type ProxmoxReads, type ProxmoxSession } from "./login.ts";
export type {
  GuestNic,
  MachineCalls,
  MachineConfig,
  MachineRef,
  MachineState,
  MachineSummary,
  TemplateCalls,
} from "./calls/machines.ts";
export type {
  HaService,
  LocalDisk,
  Migration,
  MigrationCalls,
  MigrationOutlook,
  NodeObstacles,
} from "./calls/migration.ts";
export type { MachineHold, RemovalCalls } from "./calls/removals.ts";
export type { SnapshotCalls, SnapshotInfo } from "./calls/snapshots.ts";
export type { ImageContent, ImageDownload, StorageCalls, StorageInfo, Volume } from "./calls/storages.ts";
export type { Task, TaskPoll } from "./task.ts";
export type { MachineChange, NewClone, NewMachine } from "./gen/params.ts";
export type { Trust } from "../../lib/index.ts";
export type { ImageUpload, UploadCalls } from "./calls/upload.ts";
export * from "./endpoints/index.ts";
