import type { KindPlace } from "./discovery.ts";

/**
 * Kinds every cluster serves under these names. Knowing them saves a question before the first call, which counts
 * while an API server has only just come up. `/` before a resource: it belongs to no namespace.
 */
const table: Record<string, string> = {
  "v1 Node": "/nodes",
  "v1 Namespace": "/namespaces",
  "v1 Pod": "pods",
  "v1 Secret": "secrets",
  "v1 ConfigMap": "configmaps",
  "v1 Service": "services",
  "v1 ServiceAccount": "serviceaccounts",
  "v1 Event": "events",
  "v1 PersistentVolumeClaim": "persistentvolumeclaims",
  "v1 PersistentVolume": "/persistentvolumes",
  "apps/v1 Deployment": "deployments",
  "apps/v1 DaemonSet": "daemonsets",
  "apps/v1 StatefulSet": "statefulsets",
  "apps/v1 ReplicaSet": "replicasets",
  "batch/v1 Job": "jobs",
  "coordination.k8s.io/v1 Lease": "leases",
  "policy/v1 PodDisruptionBudget": "poddisruptionbudgets",
  "storage.k8s.io/v1 StorageClass": "/storageclasses",
  "certificates.k8s.io/v1 CertificateSigningRequest": "/certificatesigningrequests",
  "apiextensions.k8s.io/v1 CustomResourceDefinition": "/customresourcedefinitions",
  "apiregistration.k8s.io/v1 APIService": "/apiservices",
  "authorization.k8s.io/v1 SelfSubjectAccessReview": "/selfsubjectaccessreviews",
  "authentication.k8s.io/v1 SelfSubjectReview": "/selfsubjectreviews",
};

export const wellKnownKinds: KindPlace[] = Object.entries(table).map(([name, resource]) => {
  const [apiVersion = "", kind = ""] = name.split(" ");
  return { apiVersion, kind, resource: resource.replace("/", ""), isNamespaced: !resource.startsWith("/") };
});
