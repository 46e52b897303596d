import type { ControllerCondition, ControllerObject } from "./common.ts";

/** One cluster: an entry of `clusters:` of the cluster file, and what the controller may do about it. */
export interface SlipwayClusterSpec {
  /** The SlipwayHosts that its machines run on. */
  hosts: string;
  /** As it would stand below `clusters: NAME:` in a cluster file; `rollout.window` is its maintenance window. */
  cluster: Record<string, unknown>;
  /**
   * `Auto` carries out every plan; `OnApproval` (the default) waits for the annotation `slipway.dev/approved-plan`; `Never`
   * only tells what a plan would do.
   */
  apply?: ApplyPolicy;
  /** Nothing is written while it is true; what the cluster looks like is still told. */
  paused?: boolean;
  /**
   * What becomes of the cluster when the object is deleted. `Delete`: machines go, and their data disks. `Retain` (the default):
   * machines go, data disks and secrets stay. `Orphan`: nothing is touched.
   */
  deletion?: DeletionPolicy;
  /** Nodes and add-ons whose data may be lost, as with `up --accept-data-loss`. */
  acceptDataLoss?: string[];
  secrets?: ClusterSecretsSpec;
  /**
   * Whether its kubeconfig is put into the Secret `NAME-kubeconfig`. Left out: yes, and no where its secrets come as documents,
   * since nothing is written in plain then that nobody has asked for.
   */
  publishKubeconfig?: boolean;
  /** Registers the cluster in Argo CD: a Secret in this namespace, the controller's own if it is not named. */
  argocd?: { namespace?: string; labels?: Record<string, string> };
}

export const applyPolicies = ["Auto", "OnApproval", "Never"] as const;
export type ApplyPolicy = (typeof applyPolicies)[number];
export const deletionPolicies = ["Delete", "Retain", "Orphan"] as const;
export type DeletionPolicy = (typeof deletionPolicies)[number];

/** Where the files of `.slipway/CLUSTER/` are kept. */
export interface ClusterSecretsSpec {
  /** The Secret that holds them, one key per file. Left out: `NAME-secrets`. It is made when it is missing. */
  name?: string;
  /** Files that SOPS or age has encrypted, put there from git. They are read and never written. */
  documents?: DocumentsSpec;
}

/** A ConfigMap or a Secret, one of them. */
export interface DocumentsSpec {
  configMap?: string;
  secret?: string;
}

export interface SlipwayClusterStatus {
  /** The generation of the object that this status is about. */
  observedGeneration: number;
  /** The newest generation that the cluster has been as asked for: what differs since then has changed by itself. */
  reachedGeneration?: number;
  phase: ClusterPhase;
  conditions: ControllerCondition[];
  plan?: PlanSummary;
  /** The approval that a run was begun with: what is left of it after a cut needs no second one. */
  approved?: ApprovedPlanStatus;
  kubernetesVersion?: string;
  osVersion?: string;
  distribution?: string;
  /** `proxmox`, `libvirt`, `existing`. */
  provider?: string;
  endpoint?: string;
  nodes?: { wanted: number; ready: number };
  /** The Secret that holds its kubeconfig under `value`. */
  kubeconfig?: string;
  lastRun?: RunSummary;
}

export const clusterPhases = [
  "Pending",
  "AwaitingApproval",
  "Waiting",
  "RollingOut",
  "Ready",
  "Drifted",
  "Paused",
  "Failed",
  "Unreachable",
  "Deleting",
] as const;
export type ClusterPhase = (typeof clusterPhases)[number];

/** What a plan would do, in short. */
export interface PlanSummary {
  /** What an approval names. */
  digest: string;
  madeAt: string;
  changes: number;
  /** Changes that wait for their window. */
  waiting: number;
  /** `3 create, 1 update in place`. */
  summary: string;
  /** The first of them. */
  steps: PlannedStepStatus[];
  /** What the plan leaves out, and why. */
  refused: string[];
}

export interface PlannedStepStatus {
  step: string;
  title: string;
  action: string;
  consequence: string;
}

export interface ApprovedPlanStatus {
  digest: string;
  /** Of what the object says; another file needs another approval. */
  fileDigest: string;
  /** A short digest of each step that was approved. */
  steps: string[];
}

export interface RunSummary {
  /** The SlipwayRun. */
  name: string;
  command: string;
  outcome: string;
  finishedAt: string;
}

export type SlipwayCluster = ControllerObject<SlipwayClusterSpec, SlipwayClusterStatus> & {
  kind: "SlipwayCluster";
};

/** What the object says where it says nothing. */
export const applyOf = ({ spec }: SlipwayCluster): ApplyPolicy => spec.apply ?? "OnApproval";
export const publishesKubeconfig = ({ spec }: SlipwayCluster): boolean =>
  spec.publishKubeconfig ?? spec.secrets?.documents === undefined;
export const deletionOf = ({ spec }: SlipwayCluster): DeletionPolicy => spec.deletion ?? "Retain";
