/** Kubernetes objects as far as every kind has them. */
export interface KubeMeta {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: KubeMeta;
  [field: string]: unknown;
}

/** An object as one writes it. */
export type Manifest = Pick<KubeObject, "apiVersion" | "kind"> & {
  metadata: {
    name: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
    ownerReferences?: OwnerReference[];
    finalizers?: string[];
  };
  [field: string]: unknown;
};

/** One object. */
export interface KubeRef {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name: string;
}

/** Some objects of a kind; without a namespace those of all. */
export interface KubeQuery {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  /** A label selector, `app=web,tier!=db`. */
  labels?: string | undefined;
  /** A field selector, `metadata.name=web`. */
  fields?: string;
  /** How many objects one answer holds; 500 if not given. */
  pageLength?: number;
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

export const refOf = ({ apiVersion, kind, metadata }: KubeObject | Manifest): KubeRef => ({
  apiVersion,
  kind,
  name: metadata.name,
  namespace: metadata.namespace,
});

/** `Pod "kube-system/coredns-1"`, as our errors name objects. */
export const named = (ref: KubeRef): string =>
  `${ref.kind} "${ref.namespace === undefined ? "" : `${ref.namespace}/`}${ref.name}"`;

/** Who keeps the object as it is, if anybody does. */
export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((owner) => owner.controller === true);

/** What a wait saw: finished, or not yet and why. Fits the probes of a plan's step. */
export type Look<T> = { done: true; value: T } | { done: false; seen: string; cause?: string | undefined };
