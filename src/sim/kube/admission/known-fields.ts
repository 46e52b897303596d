import type { Kind } from "../store/kinds.ts";
import { isFields, type Fields } from "../store/object.ts";

/** What stands at the top of kinds that do more, or other things, than `spec` and `status`. */
const topFields: Record<string, string> = {
  "/Binding": "target",
  "/ConfigMap": "data binaryData immutable",
  "/Endpoints": "subsets",
  "/Event":
    "involvedObject reason message source firstTimestamp lastTimestamp count type eventTime series action related reportingComponent reportingInstance",
  "/PodTemplate": "template",
  "/Secret": "data stringData type immutable",
  "/ServiceAccount": "secrets imagePullSecrets automountServiceAccountToken",
  "apps/ControllerRevision": "data revision",
  "rbac.authorization.k8s.io/ClusterRole": "rules aggregationRule",
  "rbac.authorization.k8s.io/ClusterRoleBinding": "subjects roleRef",
  "rbac.authorization.k8s.io/Role": "rules",
  "rbac.authorization.k8s.io/RoleBinding": "subjects roleRef",
  "storage.k8s.io/CSIStorageCapacity": "nodeTopology storageClassName capacity maximumVolumeSize",
  "storage.k8s.io/StorageClass":
    "provisioner parameters reclaimPolicy mountOptions allowVolumeExpansion volumeBindingMode allowedTopologies",
  "scheduling.k8s.io/PriorityClass": "value globalDefault description preemptionPolicy",
  "node.k8s.io/RuntimeClass": "handler overhead scheduling",
  "discovery.k8s.io/EndpointSlice": "addressType endpoints ports",
  "events.k8s.io/Event":
    "eventTime series reportingController reportingInstance action reason regarding related note type deprecatedSource deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedCount",
  "admissionregistration.k8s.io/MutatingWebhookConfiguration": "webhooks",
  "admissionregistration.k8s.io/ValidatingWebhookConfiguration": "webhooks",
};

const metaFields = new Set(
  "name generateName namespace uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations finalizers ownerReferences managedFields selfLink".split(
    " ",
  ),
);

/**
 * Fields that a kind does not have, as paths. Custom kinds are known to the bottom, by their schema; of the built-in
 * ones only the top and `metadata` are, which catches a wrong indentation but not a wrong word deep in a pod.
 */
export function unknownFields(kind: Kind, body: Fields): string[] {
  const metadata = isFields(body["metadata"]) ? body["metadata"] : {};
  const inMeta = Object.keys(metadata)
    .filter((name) => !metaFields.has(name))
    .map((name) => `metadata.${name}`);
  const { apiVersion: _version, kind: _kind, metadata: _meta, ...rest } = body;
  if (kind.custom) return [...inMeta, ...beyondSchema(kind.custom.schema, rest, "")];
  const known = (topFields[`${kind.group}/${kind.kind}`] ?? "spec status").split(" ");
  return [...inMeta, ...Object.keys(rest).filter((name) => !known.includes(name))];
}

function beyondSchema(schema: unknown, value: unknown, path: string): string[] {
  if (!isFields(schema) || schema["x-kubernetes-preserve-unknown-fields"] === true) return [];
  if (Array.isArray(value))
    return value.flatMap((item, at) => beyondSchema(schema["items"], item, `${path}[${at}]`));
  if (!isFields(value)) return [];
  const properties = isFields(schema["properties"]) ? schema["properties"] : {};
  const others = schema["additionalProperties"];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = path === "" ? name : `${path}.${name}`;
    if (name in properties) return beyondSchema(properties[name], inner, at);
    if (others !== undefined && others !== false) return beyondSchema(others, inner, at);
    return [at];
  });
}

/** Values of another type than the schema of a custom kind wants: `spec.length: integer`. */
export function wrongTypes(schema: unknown, value: unknown, path = ""): { field: string; type: string }[] {
  if (!isFields(schema) || value === undefined || value === null) return [];
  const type = schema["type"];
  if (typeof type === "string" && schema["x-kubernetes-int-or-string"] !== true && !isOfType(type, value))
    return [{ field: path, type }];
  if (Array.isArray(value))
    return value.flatMap((item, at) => wrongTypes(schema["items"], item, `${path}[${at}]`));
  const properties = isFields(schema["properties"]) ? schema["properties"] : {};
  if (!isFields(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) =>
    wrongTypes(properties[name], inner, path === "" ? name : `${path}.${name}`),
  );
}

function isOfType(type: string, value: unknown): boolean {
  if (type === "object") return isFields(value);
  if (type === "array") return Array.isArray(value);
  if (type === "integer") return Number.isInteger(value);
  return typeof value === type;
}
