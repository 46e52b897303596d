import type { Condition, KubeObject } from "./object.ts";

/** The parts of workloads that Slipway looks at. */
interface PodTemplate {
  metadata?: { labels?: Record<string, string> };
  spec?: PodSpec;
}

interface Selector {
  matchLabels?: Record<string, string>;
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
