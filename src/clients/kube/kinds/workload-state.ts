import type { KubeVolumeClaim } from "./cluster.ts";
import { conditionOf, type Condition, type KubeObject } from "./object.ts";
import { podState, type WorkloadState } from "./pod-state.ts";
import type { KubeDaemonSet, KubeDeployment, KubeJob, KubeStatefulSet } from "./workloads.ts";

const ready = (seen: string): WorkloadState => ({ isReady: true, isFailed: false, seen });
const waiting = (seen: string): WorkloadState => ({ isReady: false, isFailed: false, seen });
const failed = (seen: string): WorkloadState => ({ isReady: false, isFailed: true, seen });

/** Whether an object does what it is there for. Kinds without such a thing are ready as soon as they exist. */
export function workloadState(object: KubeObject): WorkloadState {
  if (object.metadata.deletionTimestamp !== undefined) return waiting("it is being deleted");
  const { observedGeneration } = (object["status"] ?? {}) as { observedGeneration?: number };
  const { generation } = object.metadata;
  if (observedGeneration !== undefined && generation !== undefined && observedGeneration < generation)
    return waiting("its controller has not looked at the latest change yet");
  return (states[object.kind] ?? generalState)(object);
}

const states: Record<string, (object: KubeObject) => WorkloadState> = {
  Deployment: (object) => deploymentState(object),
  DaemonSet: (object) => daemonSetState(object),
  StatefulSet: (object) => statefulSetState(object),
  Job: (object) => jobState(object),
  Pod: (object) => podState(object),
  PersistentVolumeClaim: (object) => claimState(object),
  CustomResourceDefinition: (object) => definitionState(object),
  APIService: (object) => demanded(object, "Available", "the API server behind it answers"),
  Node: (object) => demanded(object, "Ready", "the kubelet says it is ready"),
};

function deploymentState({ spec, status = {}, ...rest }: KubeDeployment): WorkloadState {
  const object = { ...rest, status } as KubeObject;
  const wanted = spec?.replicas ?? 1;
  const progress = conditionOf(object, "Progressing");
  // Not the end: a deployment that waited too long for the network still becomes available when that comes.
  if (progress?.reason === "ProgressDeadlineExceeded") return waiting(asText(progress));
  const stopped = conditionOf(object, "ReplicaFailure");
  if (stopped?.status === "True") return waiting(asText(stopped));
  if (status.observedGeneration === undefined) return waiting("its controller has not looked at it yet");
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status;
  if (updatedReplicas < wanted) return waiting(`${updatedReplicas} of ${wanted} pods have the new form`);
  if (replicas > updatedReplicas) return waiting(`${replicas - updatedReplicas} old pods are still there`);
  return counted(availableReplicas, wanted, "pods are available");
}

function daemonSetState({ spec, status = {} }: KubeDaemonSet): WorkloadState {
  if (status.observedGeneration === undefined) return waiting("its controller has not looked at it yet");
  const wanted = status.desiredNumberScheduled ?? 0;
  const updated = status.updatedNumberScheduled ?? 0;
  const isReplacing = spec?.updateStrategy?.type !== "OnDelete";
  if (isReplacing && updated < wanted) return waiting(`${updated} of ${wanted} nodes have the new pod`);
  return counted(status.numberAvailable ?? 0, wanted, "nodes have its pod available");
}

function statefulSetState({ spec, status = {} }: KubeStatefulSet): WorkloadState {
  if (status.observedGeneration === undefined) return waiting("its controller has not looked at it yet");
  const wanted = spec?.replicas ?? 1;
  const { readyReplicas = 0, updatedReplicas = 0, currentRevision, updateRevision } = status;
  const moving = wanted - (spec?.updateStrategy?.rollingUpdate?.partition ?? 0);
  const isReplacing = spec?.updateStrategy?.type !== "OnDelete" && currentRevision !== updateRevision;
  if (isReplacing && updatedReplicas < moving)
    return waiting(`${updatedReplicas} of ${moving} pods have the new form`);
  return counted(readyReplicas, wanted, "pods are ready");
}

function jobState(job: KubeJob): WorkloadState {
  const stopped = conditionOf(job, "Failed");
  if (stopped?.status === "True") return failed(asText(stopped));
  if (conditionOf(job, "Complete")?.status === "True") return ready("it has completed");
  const { active = 0, failed: broken = 0 } = job.status ?? {};
  return waiting(`${active} pods run${broken > 0 ? `, ${broken} have failed` : ""}`);
}

function claimState({ status }: KubeVolumeClaim): WorkloadState {
  if (status?.phase === "Bound") return ready("it is bound");
  return status?.phase === "Lost" ? failed("its volume is lost") : waiting("it is not bound to a volume yet");
}

function definitionState(object: KubeObject): WorkloadState {
  const names = conditionOf(object, "NamesAccepted");
  if (names?.status === "False") return failed(asText(names));
  return demanded(object, "Established", "it is served");
}

/** Kinds of others: most say Ready or Available, and those that say nothing have nothing to say. */
function generalState(object: KubeObject): WorkloadState {
  const stalled = conditionOf(object, "Stalled");
  if (stalled?.status === "True") return failed(asText(stalled));
  const said = conditionOf(object, "Ready") ?? conditionOf(object, "Available");
  if (!said || said.status === "True") return ready("it exists");
  return waiting(asText(said));
}

function demanded(object: KubeObject, type: string, good: string): WorkloadState {
  const said = conditionOf(object, type);
  if (said?.status === "True") return ready(good);
  return waiting(said ? asText(said) : `it does not say ${type} yet`);
}

const counted = (have: number, wanted: number, what: string): WorkloadState =>
  (have >= wanted ? ready : waiting)(`${have} of ${wanted} ${what}`);

const asText = ({ type, reason, message }: Condition): string =>
  [reason ?? type, message].filter((part) => part !== undefined && part !== "").join(": ");
