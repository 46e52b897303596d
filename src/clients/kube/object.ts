/** Kubernetes objects as far as every kind has them. */
export interface KubeMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: KubeMeta;
  [field: string]: unknown;
}

/** One object. */
export interface KubeRef {
  apiVersion: string;
  kind: string;
  namespace?: string;
  name: string;
}

/** Some objects of a kind; without a namespace those of all. */
export interface KubeQuery {
  apiVersion: string;
  kind: string;
  namespace?: string;
  /** A label selector, `app=web,tier!=db`. */
  labels?: string;
  /** A field selector, `metadata.name=web`. */
  fields?: string;
}

export interface Condition {
  type: string;
  status: "True" | "False" | "Unknown";
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

export const conditionOf = (object: KubeObject, type: string): Condition | undefined =>
  (object["status"] as { conditions?: Condition[] } | undefined)?.conditions?.find(
    (condition) => condition.type === type,
  );
