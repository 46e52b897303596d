/**
 * The Talos machine API: gRPC over mutual TLS with a configured node, or over unauthenticated TLS with a node in
 * maintenance mode. Knows nothing of Slipway. The messages themselves are in `gen/`, made by `npm run generate`.
 */
export { connectTalos, type TalosClient, type TalosConnection } from "./client.ts";
export type { ApplyMode, ApplyOptions, ApplyResult } from "./apply-config.ts";
export type { BootstrapOptions, TalosMemory, TalosService, TalosTime, TalosVersion } from "./machine.ts";
export type { RebootMode, ResetOptions } from "./power.ts";
export type { UpgradeOptions, UpgradeResult } from "./upgrade.ts";
export type { ImageNamespace, PullOptions, TalosImage } from "./images.ts";
export type { LogOptions } from "./logs.ts";
export type { TalosCallOptions } from "./caller.ts";
export { spkiFingerprint, type TalosIdentity, type TalosMaintenance } from "./connect-tls.ts";
export type { EtcdAlarm, EtcdMember, EtcdStatus } from "./etcd.ts";
export type { EventOptions, TalosEvent } from "./events.ts";
export type {
  TalosAddress,
  TalosDisk,
  TalosExtension,
  TalosLink,
  TalosMachineStatus,
  TalosMember,
} from "./node-facts.ts";
export { nodeKey } from "./node-key.ts";
export { probeTalos, type ProbeTarget, type TalosProbe } from "./probe.ts";
export {
  resourceKinds,
  type ListOptions,
  type ResourceKind,
  type TalosResource,
  type TalosResourceEvent,
} from "./resources.ts";

export * as clusterApi from "./gen/cluster_pb.ts";
export * as commonApi from "./gen/common_pb.ts";
export * as cosiApi from "./gen/cosi_pb.ts";
export * as lifecycleApi from "./gen/lifecycle_pb.ts";
export * as machineApi from "./gen/machine_pb.ts";
export * as specsApi from "./gen/specs_pb.ts";
export * as storageApi from "./gen/storage_pb.ts";
export * as timeApi from "./gen/time_pb.ts";
