/**
 * A simulated Kubernetes API server: real HTTPS with client certificates, the objects of one cluster, watches,
 * server-side apply, tables for kubectl, and the controllers, scheduler and kubelets that make what is installed ready, or not:
 * what goes wrong is said in `cluster-faults.ts`, what containers can run in `controllers/container-commands.ts`.
 */
export { kubeStore, refOf } from "./store.ts";
export type { DeleteOptions, KubeStore, ListQuery, Manifest, WriteOptions } from "./store.ts";
export type { Change, KubeState } from "./storage.ts";
export type { Kind } from "./kinds.ts";
export { digList, digText, stampOf, type KubeObject, type ObjectMeta, type ObjectRef } from "./object.ts";
export { ApiError } from "./api-error.ts";
export { openKubeApi, startKubeApi, type KubeApiOptions, type KubeApiParts } from "./server.ts";
export { assignPodSubnet, registerNode, setNodeReady, type NodeFacts } from "./node.ts";
export { startKubelet, stopKubelet, type KubeletOptions } from "./kubelet.ts";
export { siteOn, type Site } from "./site.ts";
export type { Cluster, Controller } from "./controllers/index.ts";
export { definitionOf, ensure, workloadOf } from "./operators/operator.ts";
