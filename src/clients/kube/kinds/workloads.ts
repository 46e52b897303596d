import type { Condition, KubeObject } from "./object.ts";

/** The parts of workloads that Slipway looks at. */
interface PodTemplate {
  metadata?: { labels?: Record<string, string> };
  spec?: PodSpec;
}

export interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: {
    key: string;
    operator: "In" | "NotIn" | "Exists" | "DoesNotExist";
    values?: string[];
  }[];
}

/** A selector as a list asks for it: `app=web,tier notin (db)`; undefined where it selects all. */
export function labelQuery({ matchLabels = {}, matchExpressions = [] }: Selector): string | undefined {
  const terms = [
    ...Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`),
    ...matchExpressions.map(({ key, operator, values = [] }) =>
      operator === "Exists"
        ? key
        : operator === "DoesNotExist"
          ? `!${key}`
          : `${key} ${operator.toLowerCase()} (${values.join(",")})`,
    ),
  ];
  return terms.length === 0 ? undefined : terms.join(",");
}

export interface PodSpec {
  nodeName?: string;
  hostNetwork?: boolean;
  restartPolicy?: string;
  containers?: { name: string; image?: string }[];
  initContainers?: { name: string; image?: string; restartPolicy?: string }[];
  volumes?: { name: string; emptyDir?: object | null; hostPath?: { path: string } }[];
}

export interface ContainerStatus {
  name: string;
  image?: string;
  ready?: boolean;
  restartCount?: number;
  state?: ContainerState;
  lastState?: ContainerState;
}

interface ContainerState {
  waiting?: { reason?: string; message?: string };
  running?: { startedAt?: string };
  terminated?: { exitCode: number; reason?: string; message?: string };
}

export interface KubePod extends KubeObject {
  spec?: PodSpec;
  status?: {
    phase?: "Pending" | "Running" | "Succeeded" | "Failed" | "Unknown";
    reason?: string;
    message?: string;
    podIP?: string;
    hostIP?: string;
    conditions?: Condition[];
    initContainerStatuses?: ContainerStatus[];
    containerStatuses?: ContainerStatus[];
  };
}

export interface KubeDeployment extends KubeObject {
  spec?: { replicas?: number; selector?: Selector; template?: PodTemplate };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    updatedReplicas?: number;
    availableReplicas?: number;
    readyReplicas?: number;
    conditions?: Condition[];
  };
}

export interface KubeDaemonSet extends KubeObject {
  spec?: { selector?: Selector; template?: PodTemplate; updateStrategy?: { type?: string } };
  status?: {
    observedGeneration?: number;
    desiredNumberScheduled?: number;
    currentNumberScheduled?: number;
    updatedNumberScheduled?: number;
    numberAvailable?: number;
    numberReady?: number;
  };
}

export interface KubeStatefulSet extends KubeObject {
  spec?: {
    replicas?: number;
    selector?: Selector;
    template?: PodTemplate;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  };
  status?: {
    observedGeneration?: number;
    replicas?: number;
    readyReplicas?: number;
    updatedReplicas?: number;
    currentRevision?: string;
    updateRevision?: string;
  };
}

export interface KubeJob extends KubeObject {
  spec?: { completions?: number; template?: PodTemplate; selector?: Selector };
  status?: { succeeded?: number; failed?: number; active?: number; conditions?: Condition[] };
}

export interface KubeEvent extends KubeObject {
  involvedObject?: { kind?: string; namespace?: string; name?: string; uid?: string };
  type?: string;
  reason?: string;
  message?: string;
  count?: number;
  lastTimestamp?: string | null;
  eventTime?: string | null;
}
