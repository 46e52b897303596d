/** Kubernetes objects as plain data, and how to look inside them. */
export type Fields = Record<string, unknown>;

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFields {
  manager: string;
  operation: "Apply" | "Update";
  apiVersion: string;
  time?: string;
  fieldsType: "FieldsV1";
  fieldsV1: FieldTree;
  subresource?: string | undefined;
}

/** `f:name` a field, `k:{…}` a list item by key, `v:…` a set's value, `.` the thing itself. */
export interface FieldTree {
  [step: string]: FieldTree;
}

export interface ObjectMeta {
  name?: string;
  generateName?: string | undefined;
  namespace?: string | undefined;
  uid?: string | undefined;
  resourceVersion?: string | undefined;
  generation?: number | undefined;
  creationTimestamp?: string | undefined;
  deletionTimestamp?: string | undefined;
  deletionGracePeriodSeconds?: number | undefined;
  labels?: Record<string, string> | undefined;
  annotations?: Record<string, string> | undefined;
  finalizers?: string[] | undefined;
  ownerReferences?: OwnerReference[] | undefined;
  managedFields?: ManagedFields[] | undefined;
}

export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

/** Names one object the way manifests do. */
export interface ObjectRef {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  name: string;
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The value below `path`, or undefined when any step is missing. */
export function dig(value: unknown, ...path: string[]): unknown {
  let current = value;
  for (const step of path) {
    if (!isFields(current)) return undefined;
    current = current[step];
  }
  return current;
}

export const digText = (value: unknown, ...path: string[]): string => {
  const found = dig(value, ...path);
  return typeof found === "string" || typeof found === "number" || typeof found === "boolean"
    ? String(found)
    : "";
};

export const digNumber = (value: unknown, ...path: string[]): number => {
  const found = dig(value, ...path);
  return typeof found === "number" ? found : 0;
};

export const digList = (value: unknown, ...path: string[]): unknown[] => {
  const found = dig(value, ...path);
  return Array.isArray(found) ? found : [];
};

/** Same JSON, whatever the order of the fields. */
export function isSame(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  if (Array.isArray(left) && Array.isArray(right))
    return left.length === right.length && left.every((item, index) => isSame(item, right[index]));
  if (!isFields(left) || !isFields(right)) return false;
  const names = Object.keys(left).filter((name) => left[name] !== undefined);
  const others = Object.keys(right).filter((name) => right[name] !== undefined);
  return names.length === others.length && names.every((name) => isSame(left[name], right[name]));
}

export const stampOf = (nowMs: number): string => new Date(nowMs).toISOString().replace(/\.\d+Z$/, "Z");
