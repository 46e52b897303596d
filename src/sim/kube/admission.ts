import { invalid } from "./api-error.ts";
import { establishedStatus, type Definition } from "./custom-kinds.ts";
import { withDefaults } from "./defaults.ts";
import type { Kind } from "./kinds.ts";
import { isSame, type KubeObject } from "./object.ts";

const subdomain = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;
const loose = new Set(["clusterroles", "clusterrolebindings", "roles", "rolebindings"]);

/** Kinds the server counts no generations for although they have a `spec`. */
const uncounted = new Set(["Node", "Namespace", "Service", "PersistentVolume", "PersistentVolumeClaim"]);

/** A new object as the server would store it: checked, completed, without what only the server may say. */
export function admitNew(
  kind: Kind,
  object: KubeObject,
  given: { uid: string; time: string; suffix: string },
): KubeObject {
  const { resourceVersion: _version, deletionTimestamp: _deleted, ...meta } = object.metadata;
  const name = meta.name ?? (meta.generateName ? `${meta.generateName}${given.suffix}` : "");
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
      uid: given.uid,
      creationTimestamp: given.time,
      ...("spec" in object && !uncounted.has(kind.kind) && { generation: 1 }),
    },
  });
  if (kind.custom && kind.subresources.includes("status")) delete admitted["status"];
  if (kind.kind === "CustomResourceDefinition")
    admitted["status"] = establishedStatus(admitted as Definition, given.time);
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
  const identity = {
    name: before.metadata.name,
    ...(before.metadata.namespace !== undefined && { namespace: before.metadata.namespace }),
    uid: before.metadata.uid,
    creationTimestamp: before.metadata.creationTimestamp,
    ...(before.metadata.generation !== undefined && { generation: before.metadata.generation }),
    ...(before.metadata.deletionTimestamp !== undefined && {
      deletionTimestamp: before.metadata.deletionTimestamp,
      deletionGracePeriodSeconds: before.metadata.deletionGracePeriodSeconds ?? 0,
    }),
  };
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
