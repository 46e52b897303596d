/**
 * Speaks to a Kubernetes API server: client certificates, server-side apply, watches that outlive their connections,
 * drains that keep disruption budgets, and looks that say why something is not ready.
 */
export { askFromPod, fetchLines, type PodAnswer, type PodQuestion } from "./ask-from-pod.ts";
export { connectKube } from "./client.ts";
export type { ApplyOptions, DeleteOptions, KubeClient, KubeOptions, PatchOptions } from "./client.ts";
export type { AccessAnswer, AccessQuestion } from "./access-review.ts";
export type {
  KubeBudget,
  KubeConfigMap,
  KubeDefinition,
  KubeLease,
  KubeNamespace,
  KubeSecret,
  KubeService,
  KubeSigningRequest,
  KubeStorageClass,
  KubeVolumeClaim,
} from "./cluster-kinds.ts";
export type { ServedKind } from "./discovery.ts";
export { drainNode, planDrain, type DrainOptions, type DrainPlan } from "./drain.ts";
export { explainPods, troubleInWords, type PodTrouble } from "./explain-pods.ts";
export { forwardedKubeconfig, type ForwardedKubeconfig } from "./forwarded-kubeconfig.ts";
export { readKubeconfig, type KubeAccess } from "./kubeconfig.ts";
export type { KubeList } from "./list-pages.ts";
export { lookGone, lookReady } from "./look.ts";
export { isNodeReady, setCordon, type KubeNode } from "./node.ts";
export {
  conditionOf,
  refOf,
  type Condition,
  type KubeObject,
  type KubeQuery,
  type KubeRef,
  type Look,
  type Manifest,
} from "./object.ts";
export { whyNotWritten, type ClaimAccess, type ClaimProbe } from "./probe-claim.ts";
export {
  closeProbeNamespace,
  openProbeNamespace,
  probeImage,
  removeExpiredNamespaces,
  type ProbeNamespace,
} from "./probe-namespace.ts";
export {
  listenerPod,
  readTalk,
  scriptPod,
  talkScript,
  type Peer,
  type ProbePod,
  type Question,
  type Talk,
} from "./probe-pods.ts";
export { podTrouble } from "./pod-state.ts";
export type { LogOptions, PodName, ProxyTarget } from "./pod-calls.ts";
export { askingNode, isPending, servingObjection, type ServingNode } from "./serving-request.ts";
export type { WatchEvent } from "./watch.ts";
export type {
  KubeDaemonSet,
  KubeDeployment,
  KubeEvent,
  KubeJob,
  KubePod,
  KubeStatefulSet,
} from "./workload-kinds.ts";
export { workloadState, type WorkloadState } from "./workload-state.ts";
