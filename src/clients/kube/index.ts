/** Speaks to a Kubernetes API server: client certificates, server-side apply, watches that outlive their connections. */
export { connectKube, type KubeClient, type KubeList, type KubeOptions, type Manifest } from "./client.ts";
export { readKubeconfig, type KubeAccess } from "./kubeconfig.ts";
export { isNodeReady, type KubeNode } from "./node.ts";
export { conditionOf, type Condition, type KubeObject, type KubeQuery, type KubeRef } from "./object.ts";
export type { WatchEvent } from "./watch.ts";
