import { given } from "../../../lib/index.ts";
import { invalid } from "../store/api-error.ts";
import { establishedStatus, type Definition } from "../store/custom-kinds.ts";
import { withDefaults } from "./defaults.ts";
import type { Kind } from "../store/kinds.ts";
import { isSame, type KubeObject } from "../store/object.ts";

const subdomain = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const loose = new Set(["clusterroles", "clusterrolebindings", "roles", "rolebindings"]);

/** Kinds the server counts no generations for although they have a `spec`. */
const uncounted = new Set(["Node", "Namespace", "Service", "PersistentVolume", "PersistentVolumeClaim"]);

/** A new object as the server would store it: checked, completed, without what only the server may say. */
export function admitNew(
  kind: Kind,
  object: KubeObject,
  made: { uid: string; time: string; suffix: string },
): KubeObject {
  const { resourceVersion: _version, deletionTimestamp: _deleted, ...meta } = object.metadata;
  const name = meta.name ?? (meta.generateName ? `${meta.generateName}${made.suffix}` : "");
  if (name === "")
    throw invalid(kind, "", "metadata.name", "Required value: name or generateName is required");
  if (name.length > 253 || !(loose.has(kind.resource) ? /^[^/%]+$/ : subdomain).test(name))
    throw invalid(
      kind,
      name,
      "metadata.name",
      `Invalid value: "${name}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character`,
    );
  const admitted = withDefaults(kind, {
    ...object,
    metadata: {
      ...meta,
      name,
      uid: made.uid,
      creationTimestamp: made.time,
      ...("spec" in object && !uncounted.has(kind.kind) && { generation: 1 }),
    },
  });
  if (kind.custom && kind.subresources.includes("status")) delete admitted["status"];
  if (kind.kind === "CustomResourceDefinition")
    admitted["status"] = establishedStatus(admitted as Definition, made.time);
  return admitted;
}

/** A changed object as the server would store it: its identity kept, `status` and the rest each by their own door. */
export function admitChange(
  kind: Kind,
  before: KubeObject,
  after: KubeObject,
  subresource: string | undefined,
): KubeObject {
  const { uid } = after.metadata;
  if (uid !== undefined && uid !== before.metadata.uid)
    throw invalid(
      kind,
      before.metadata.name ?? "",
      "metadata.uid",
      `Invalid value: "${uid}": field is immutable`,
    );
  const { name, namespace, creationTimestamp, generation, deletionTimestamp } = before.metadata;
  const identity = given({
    name,
    namespace,
    uid: before.metadata.uid,
    creationTimestamp,
    generation,
    deletionTimestamp,
    deletionGracePeriodSeconds:
      deletionTimestamp === undefined ? undefined : (before.metadata.deletionGracePeriodSeconds ?? 0),
  });
  if (subresource === "status" || subresource === "approval")
    return {
      ...before,
      metadata: { ...before.metadata, ...labelsOf(after), ...identity },
      status: after["status"],
    };
  const next = withDefaults(kind, { ...after, metadata: { ...after.metadata, ...identity } });
  if (kind.subresources.includes("status")) {
    if (before["status"] === undefined) delete next["status"];
    else next["status"] = before["status"];
  }
  if (before.metadata.generation !== undefined && !isSame(before["spec"], next["spec"]))
    next.metadata.generation = before.metadata.generation + 1;
  checkImmutable(kind, before, next);
  return next;
}

const labelsOf = (object: KubeObject) => ({
  ...(object.metadata.labels && { labels: object.metadata.labels }),
  ...(object.metadata.annotations && { annotations: object.metadata.annotations }),
});

const fixedOfStorageClass = ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"];

function checkImmutable(kind: Kind, before: KubeObject, after: KubeObject): void {
  const name = before.metadata.name ?? "";
  const same = (field: string) =>
    isSame(
      (before["spec"] as Record<string, unknown> | undefined)?.[field],
      (after["spec"] as Record<string, unknown> | undefined)?.[field],
    );
  if (kind.group === "apps" && !same("selector"))
    throw invalid(kind, name, "spec.selector", "Invalid value: field is immutable");
  if (kind.group === "batch" && kind.kind === "Job" && !same("template"))
    throw invalid(kind, name, "spec.template", "Invalid value: field is immutable");
  for (const field of kind.kind === "StorageClass" ? fixedOfStorageClass : [])
    if (!isSame(before[field], after[field]))
      throw invalid(kind, name, field, `Forbidden: updates to ${field} are forbidden.`);
  if (before["immutable"] === true && !isSame(before["data"], after["data"]))
    throw invalid(kind, name, "data", "Forbidden: field is immutable when `immutable` is set");
}
