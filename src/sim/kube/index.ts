/**
 * A simulated Kubernetes API server: real HTTPS with client certificates, the objects of one cluster, watches,
 * server-side apply, tables for kubectl, and the controllers, scheduler and kubelets that make what is installed ready, or not:
 * what goes wrong is said in `cluster-faults.ts`, what containers can run in `kubelet/container-commands.ts`.
 */
export { kubeStore, objectsOf, refOf } from "./store/store.ts";
export type { DeleteOptions, KubeStore, ListQuery, Manifest, WriteOptions } from "./store/store.ts";
export type { Change, KubeState } from "./store/storage.ts";
export type { Kind } from "./store/kinds.ts";
export {
  dig,
  digList,
  digText,
  isSame,
  stampOf,
  type Fields,
  type KubeObject,
  type ObjectMeta,
  type ObjectRef,
} from "./store/object.ts";
export { ApiError } from "./store/api-error.ts";
export { openKubeApi, startKubeApi, type KubeApiOptions, type KubeApiParts } from "./api/server.ts";
export { assignPodSubnet, registerNode, setNodeReady, type NodeFacts } from "./kubelet/node.ts";
export { awaitKubelets, startKubelet, stopKubelet, type KubeletOptions } from "./kubelet/kubelet.ts";
export type { Site } from "./controllers/controller.ts";
export { newSite, siteOn } from "./site.ts";
export type { Cluster, Controller } from "./controllers/index.ts";
export { hasCondition } from "./controllers/nodes/node-fit.ts";
export { reach, resolveName, type Reach } from "./controllers/network/pod-network.ts";
export type { Outcome } from "./kubelet/runtime.ts";
export { logKey } from "./kubelet/runtime.ts";
export type { Reply } from "./api/request.ts";
export type { ClusterProgram } from "./controllers/controller.ts";
export { definitionOf, ensure, isServed, operating, workloadOf } from "./operators/operator.ts";
