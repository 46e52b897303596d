/** What the simulated API server serves: one row per resource, and what custom definitions add to it. */
export interface Kind {
  group: string;
  version: string;
  kind: string;
  resource: string;
  singular: string;
  isNamespaced: boolean;
  shortNames: string[];
  categories: string[];
  verbs: string[];
  subresources: string[];
  /** Present for resources that come from a CustomResourceDefinition. */
  custom?: CustomKind;
}

export interface CustomKind {
  schema: unknown;
  columns: PrinterColumn[];
}

export interface PrinterColumn {
  name: string;
  type: string;
  jsonPath: string;
  priority?: number;
  description?: string;
  format?: string;
}

export const allVerbs = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];

/** resource, kind, scope, short names, categories, subresources. `!` as scope: create only (reviews). */
type Row = [string, string, "ns" | "cluster" | "!", string?, string?, string?];

const rows: Record<string, Row[]> = {
  v1: [
    ["bindings", "Binding", "ns"],
    ["configmaps", "ConfigMap", "ns", "cm"],
    ["endpoints", "Endpoints", "ns", "ep"],
    ["events", "Event", "ns", "ev"],
    ["limitranges", "LimitRange", "ns", "limits"],
    ["namespaces", "Namespace", "cluster", "ns", "", "status finalize"],
    ["nodes", "Node", "cluster", "no", "", "status"],
    ["persistentvolumeclaims", "PersistentVolumeClaim", "ns", "pvc", "", "status"],
    ["persistentvolumes", "PersistentVolume", "cluster", "pv", "", "status"],
    ["pods", "Pod", "ns", "po", "all", "status eviction binding log"],
    ["podtemplates", "PodTemplate", "ns"],
    ["replicationcontrollers", "ReplicationController", "ns", "rc", "all", "status scale"],
    ["resourcequotas", "ResourceQuota", "ns", "quota", "", "status"],
    ["secrets", "Secret", "ns"],
    ["serviceaccounts", "ServiceAccount", "ns", "sa"],
    ["services", "Service", "ns", "svc", "all", "status"],
  ],
  "apps/v1": [
    ["controllerrevisions", "ControllerRevision", "ns"],
    ["daemonsets", "DaemonSet", "ns", "ds", "all", "status"],
    ["deployments", "Deployment", "ns", "deploy", "all", "status scale"],
    ["replicasets", "ReplicaSet", "ns", "rs", "all", "status scale"],
    ["statefulsets", "StatefulSet", "ns", "sts", "all", "status scale"],
  ],
  "batch/v1": [
    ["cronjobs", "CronJob", "ns", "cj", "all", "status"],
    ["jobs", "Job", "ns", "", "all", "status"],
  ],
  "autoscaling/v2": [["horizontalpodautoscalers", "HorizontalPodAutoscaler", "ns", "hpa", "all", "status"]],
  "authentication.k8s.io/v1": [["selfsubjectreviews", "SelfSubjectReview", "!"]],
  "authorization.k8s.io/v1": [["selfsubjectaccessreviews", "SelfSubjectAccessReview", "!"]],
  "rbac.authorization.k8s.io/v1": [
    ["clusterrolebindings", "ClusterRoleBinding", "cluster"],
    ["clusterroles", "ClusterRole", "cluster"],
    ["rolebindings", "RoleBinding", "ns"],
    ["roles", "Role", "ns"],
  ],
  "storage.k8s.io/v1": [
    ["csidrivers", "CSIDriver", "cluster"],
    ["csinodes", "CSINode", "cluster"],
    ["csistoragecapacities", "CSIStorageCapacity", "ns"],
    ["storageclasses", "StorageClass", "cluster", "sc"],
    ["volumeattachments", "VolumeAttachment", "cluster", "", "", "status"],
  ],
  "networking.k8s.io/v1": [
    ["ingressclasses", "IngressClass", "cluster"],
    ["ingresses", "Ingress", "ns", "ing", "", "status"],
    ["networkpolicies", "NetworkPolicy", "ns", "netpol"],
  ],
  "policy/v1": [["poddisruptionbudgets", "PodDisruptionBudget", "ns", "pdb", "", "status"]],
  "coordination.k8s.io/v1": [["leases", "Lease", "ns"]],
  "scheduling.k8s.io/v1": [["priorityclasses", "PriorityClass", "cluster", "pc"]],
  "node.k8s.io/v1": [["runtimeclasses", "RuntimeClass", "cluster"]],
  "discovery.k8s.io/v1": [["endpointslices", "EndpointSlice", "ns"]],
  "events.k8s.io/v1": [["events", "Event", "ns", "ev"]],
  "metrics.k8s.io/v1beta1": [
    ["nodes", "NodeMetrics", "cluster"],
    ["pods", "PodMetrics", "ns"],
  ],
  "certificates.k8s.io/v1": [
    ["certificatesigningrequests", "CertificateSigningRequest", "cluster", "csr", "", "status approval"],
  ],
  "apiextensions.k8s.io/v1": [
    [
      "customresourcedefinitions",
      "CustomResourceDefinition",
      "cluster",
      "crd crds",
      "api-extensions",
      "status",
    ],
  ],
  "apiregistration.k8s.io/v1": [["apiservices", "APIService", "cluster", "", "api-extensions", "status"]],
  "admissionregistration.k8s.io/v1": [
    ["mutatingwebhookconfigurations", "MutatingWebhookConfiguration", "cluster", "", "api-extensions"],
    ["validatingadmissionpolicies", "ValidatingAdmissionPolicy", "cluster", "", "api-extensions", "status"],
    [
      "validatingadmissionpolicybindings",
      "ValidatingAdmissionPolicyBinding",
      "cluster",
      "",
      "api-extensions",
    ],
    ["validatingwebhookconfigurations", "ValidatingWebhookConfiguration", "cluster", "", "api-extensions"],
  ],
};

const words = (text: string | undefined): string[] => (text ? text.split(" ") : []);

export const builtInKinds: Kind[] = Object.entries(rows).flatMap(([apiVersion, list]) =>
  list.map(([resource, kind, scope, shortNames, categories, subresources]) => ({
    ...splitApiVersion(apiVersion),
    kind,
    resource,
    singular: kind.toLowerCase(),
    isNamespaced: scope === "ns",
    shortNames: words(shortNames),
    categories: words(categories),
    verbs: scope === "!" || kind === "Binding" ? ["create"] : allVerbs,
    subresources: words(subresources),
  })),
);

export const apiVersionOf = (kind: { group: string; version: string }): string =>
  kind.group === "" ? kind.version : `${kind.group}/${kind.version}`;

export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const [group, version] = apiVersion.split("/");
  return version === undefined ? { group: "", version: group ?? "" } : { group: group ?? "", version };
}
