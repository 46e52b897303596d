/**
 * The Talos machine API: gRPC over mutual TLS with a configured node, or over unauthenticated TLS with a node in
 * maintenance mode. Knows nothing of Slipway. The messages themselves are in `gen/`, made by `npm run generate`.
 */
export {
  connectTalos,
  probeTalos,
  type ProbeTarget,
  type TalosClient,
  type TalosConnection,
  type TalosProbe,
} from "./client.ts";
export type { ApplyMode, ApplyOptions, ApplyResult } from "./calls/apply-config.ts";
export type {
  BootstrapOptions,
  TalosMemory,
  TalosService,
  TalosTime,
  TalosVersion,
} from "./calls/machine.ts";
export type { RebootMode, ResetOptions } from "./calls/power.ts";
export type { UpgradeOptions, UpgradeResult } from "./calls/upgrade.ts";
export { hasLifecycleService } from "./calls/talos-version.ts";
export type { ImageNamespace, PullOptions, TalosImage } from "./calls/images.ts";
export type { LogOptions } from "./calls/logs.ts";
export type { Pings } from "./wire/session.ts";
export type { TalosCallOptions } from "./wire/caller.ts";
export { spkiFingerprint, type TalosIdentity, type TalosMaintenance } from "./wire/connect-tls.ts";
export type { EtcdAlarm, EtcdMember, EtcdStatus } from "./calls/etcd.ts";
export type { EventOptions, TalosEvent } from "./calls/events.ts";
export type {
  TalosAddress,
  TalosDisk,
  TalosExtension,
  TalosLink,
  TalosMachineStatus,
  TalosMember,
} from "./calls/node-facts.ts";
export {
  resourceKinds,
  type ListOptions,
  type ResourceKind,
  type TalosResource,
  type TalosResourceEvent,
} from "./calls/resources.ts";

export * as clusterApi from "./gen/cluster_pb.ts";
export * as commonApi from "./gen/common_pb.ts";
export * as cosiApi from "./gen/cosi_pb.ts";
export * as lifecycleApi from "./gen/lifecycle_pb.ts";
export * as machineApi from "./gen/machine_pb.ts";
export * as specsApi from "./gen/specs_pb.ts";
export * as storageApi from "./gen/storage_pb.ts";
export * as timeApi from "./gen/time_pb.ts";
