import type { Condition, KubeObject } from "../../clients/kube/index.ts";

/** The group and version of everything the controller keeps in Kubernetes. */
export const apiVersion = "slipway.dev/v1alpha1";

/** Holds a SlipwayCluster until its deletion policy is carried out. */
export const finalizer = "slipway.dev/cluster";

/** Its value is the digest of the plan that somebody has approved. */
export const approvedPlan = "slipway.dev/approved-plan";

/** A new value makes the controller look at the object again at once; `kubectl annotate` can write the time into it. */
export const requestedAt = "slipway.dev/requested-at";

/** What becomes of the key `on` that is written without quotes: Kubernetes reads YAML 1.1, where it is a yes. */
export const onInYaml11 = "true";

/** Stands on everything the controller makes for a cluster; its value is the cluster's name. */
export const clusterLabel = "slipway.dev/cluster";

export type ConditionType =
  | "Ready"
  | "Available"
  | "RollingOut"
  | "Drifted"
  | "Paused"
  | "Deleting"
  | "Planned";

/** A condition as the controller writes it: each says which generation it is about. */
export interface ControllerCondition extends Condition {
  type: ConditionType;
  /** One word in CamelCase, for programs. */
  reason: string;
  /** For people. */
  message: string;
  lastTransitionTime: string;
  observedGeneration: number;
}

/** A secret of an object: the value stands in a Secret of the controller's namespace. */
export interface SecretKeyRef {
  secret: { name: string; key: string };
}

/** An object of one of our kinds, as the API server gives it. */
export interface ControllerObject<Spec, Status> extends KubeObject {
  spec: Spec;
  status?: Status;
}
