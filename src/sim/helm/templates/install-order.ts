import type { RenderedObject } from "../../../clients/helm/index.ts";

/** What others need comes first, as helm has it. Kinds not named here come last. */
const order = [
  "PriorityClass",
  "Namespace",
  "NetworkPolicy",
  "ResourceQuota",
  "LimitRange",
  "PodDisruptionBudget",
  "ServiceAccount",
  "Secret",
  "ConfigMap",
  "StorageClass",
  "PersistentVolume",
  "PersistentVolumeClaim",
  "CustomResourceDefinition",
  "ClusterRole",
  "ClusterRoleBinding",
  "Role",
  "RoleBinding",
  "Service",
  "DaemonSet",
  "Pod",
  "ReplicaSet",
  "Deployment",
  "StatefulSet",
  "Job",
  "CronJob",
  "IngressClass",
  "Ingress",
  "APIService",
];

const placeOf = (object: RenderedObject): number => {
  const place = order.indexOf(object.kind);
  return place === -1 ? order.length : place;
};

export const byInstallOrder = (objects: readonly RenderedObject[]): RenderedObject[] =>
  objects.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1));
