/**
 * Speaks to a Kubernetes API server: client certificates, server-side apply, watches that outlive their connections,
 * drains that keep disruption budgets, and looks that say why something is not ready.
 */
export { askFromPod, fetchLines, type PodAnswer, type PodQuestion } from "./probe/ask-from-pod.ts";
export {
  connectKube,
  type ApplyOptions,
  type DeleteOptions,
  type KubeClient,
  type KubeOptions,
  type PatchOptions,
  type AccessAnswer,
  type AccessQuestion,
} from "./client.ts";
export type {
  KubeConfigMap,
  KubeNamespace,
  KubeSecret,
  KubeSigningRequest,
  KubeStorageClass,
  KubeVolumeClaim,
} from "./kinds/cluster.ts";
export type { ServedKind } from "./wire/discovery.ts";
export { isStaticPod, type DrainAllowances } from "./drain-rules.ts";
export { drainNode, planDrain, type DrainOptions, type DrainPlan, setCordon } from "./drain.ts";
export { explainPods, troubleText, type PodTrouble } from "./explain-pods.ts";
export { forwardedKubeconfig, type ForwardedKubeconfig } from "./forwarded-kubeconfig.ts";
export { readKubeconfig, type KubeAccess } from "./kubeconfig.ts";
export type { KubeList } from "./wire/list-pages.ts";
export { checkGone, checkReady } from "./readiness.ts";
export { isNodeReady, type KubeNode } from "./kinds/node.ts";
export {
  conditionOf,
  controllerOf,
  refOf,
  type Condition,
  type KubeObject,
  type KubeQuery,
  type KubeRef,
  type Look,
  type Manifest,
} from "./kinds/object.ts";
export { whyNotWritten, type ClaimAccess, type ClaimProbe } from "./probe/probe-claim.ts";
export {
  closeProbeNamespace,
  openProbeNamespace,
  probeImage,
  removeExpiredNamespaces,
  type ProbeNamespace,
} from "./probe/probe-namespace.ts";
export {
  listenerPod,
  readTalk,
  scriptPod,
  talkScript,
  type Peer,
  type ProbePod,
  type Question,
  type Talk,
} from "./probe/probe-pods.ts";
export { podTrouble, type WorkloadState } from "./kinds/pod-state.ts";
export type { LogOptions, PodName, ProxyTarget } from "./wire/pod-calls.ts";
export { askingNode, isPending, servingObjection, type ServingNode } from "./serving-request.ts";
export type { WatchEvent, WatchReaders } from "./wire/watch.ts";
export {
  labelQuery,
  type KubeDaemonSet,
  type KubeDeployment,
  type KubeEvent,
  type KubeJob,
  type KubePod,
  type KubeStatefulSet,
  type Selector,
} from "./kinds/workloads.ts";
export { workloadState } from "./kinds/workload-state.ts";
