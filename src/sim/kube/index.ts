/**
 * A simulated Kubernetes API server: real HTTPS with client certificates, the objects of one cluster, watches,
 * server-side apply, tables for kubectl, and a few controllers so that what is installed becomes ready.
 */
export { kubeStore } from "./store.ts";
export type { DeleteOptions, KubeStore, ListQuery, Manifest, WriteOptions } from "./store.ts";
export type { Change, KubeState } from "./storage.ts";
export type { Kind } from "./kinds.ts";
export type { KubeObject, ObjectMeta, ObjectRef } from "./object.ts";
export { ApiError } from "./api-error.ts";
export { startKubeApi, type KubeApiOptions } from "./server.ts";
export { registerNode, setNodeReady, type NodeFacts } from "./node.ts";
