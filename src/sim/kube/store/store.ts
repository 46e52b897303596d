import { randomUuid, realClock, realRandom, type Clock, type Random } from "../../../lib/index.ts";
import type { ClusterFaults } from "../../cluster-faults.ts";
import { admitChange, admitNew } from "../admission/admission.ts";
import {
  alreadyExists,
  ApiError,
  badRequest,
  forbidden,
  modified,
  namespaceTerminating,
  notFound,
} from "./api-error.ts";
import { customKinds, type Definition } from "./custom-kinds.ts";
import { apiVersionOf, type Kind } from "./kinds.ts";
import { abandonedFields, trackApply, trackUpdate } from "../apply/managed-fields.ts";
import { mergeApplied, withoutFields } from "../apply/merge-applied.ts";
import { isSame, stampOf, type KubeObject, type ObjectMeta, type ObjectRef } from "./object.ts";
import { patched, type PatchType } from "../apply/patches.ts";
import { fieldSelector, labelSelector } from "./selectors.ts";
import { podSecurityViolation } from "../admission/pod-security.ts";
import { Storage, type Change, type KubeState } from "./storage.ts";
import { checkWebhooks, type Operation } from "../admission/webhooks.ts";

export interface WriteOptions {
  fieldManager?: string;
  isDryRun?: boolean;
  subresource?: string | undefined;
}

export interface ListQuery {
  apiVersion: string;
  kind: string;
  namespace?: string | undefined;
  labels?: string;
  fields?: string;
}

export interface DeleteOptions {
  propagationPolicy?: "Background" | "Foreground" | "Orphan" | undefined;
  isDryRun?: boolean;
  preconditions?: { uid?: string; resourceVersion?: string } | undefined;
}

/** An object as written in a manifest: the server adds the rest. */
export type Manifest = { apiVersion: string; kind: string; metadata?: ObjectMeta; [field: string]: unknown };

/** All objects of one simulated cluster. Several API servers may share it. What it returns is frozen. */
export interface KubeStore {
  readonly clock: Clock;
  readonly random: Random;
  /** Faults that change how the server answers a write. */
  sufferFrom(faults: ClusterFaults): void;
  /** The number of the last write; `resourceVersion` of lists. */
  readonly revision: number;
  /** The oldest write a reader may still go on from. */
  readonly oldest: number;
  /** Everything served now: built in, and from CustomResourceDefinitions. */
  kinds(): Kind[];
  kindOf(apiVersion: string, kind: string): Kind;
  get(ref: ObjectRef): KubeObject;
  find(ref: ObjectRef): KubeObject | undefined;
  list(query: ListQuery): KubeObject[];
  create(manifest: Manifest, options?: WriteOptions): KubeObject;
  /** Replaces; with a `resourceVersion` only when nobody wrote in between. */
  update(manifest: Manifest, options?: WriteOptions): KubeObject;
  patch(ref: ObjectRef, type: PatchType, patch: unknown, options?: WriteOptions): KubeObject;
  /** Server-side apply: makes or merges, and keeps who owns which field. */
  apply(manifest: Manifest, options?: WriteOptions & { isForced?: boolean }): KubeObject;
  /** The object as last seen; with `deletionTimestamp` when finalizers hold it. */
  delete(ref: ObjectRef, options?: DeleteOptions): KubeObject;
  /** Changes after `revision`; throws 410 when they are forgotten. */
  changesSince(revision: number): Change[];
  /** Lets watchers and readers of long lists start over, as a compaction of etcd does. */
  forgetChanges(): void;
  /** Called after every write. Returns how to stop. */
  onChange(listener: (change: Change) => void): () => void;
  toJSON(): KubeState;
}

/** A cluster's objects, new or as saved. A new one has the namespaces every cluster has. */
export function kubeStore(
  saved?: KubeState,
  clock: Clock = realClock,
  random: Random = realRandom,
): KubeStore {
  const storage = new Storage(saved);
  const time = () => stampOf(clock.now());
  let faults: ClusterFaults | undefined;

  function kindOf(apiVersion: string, kind: string): Kind {
    const found = storage.kindOf(apiVersion, kind);
    if (found) return found;
    throw new ApiError(404, "NotFound", `no matches for kind "${kind}" in version "${apiVersion}"`);
  }

  const kindOfRef = (ref: { apiVersion: string; kind: string }) => kindOf(ref.apiVersion, ref.kind);
  const find = (ref: ObjectRef) => storage.find(kindOfRef(ref), ref.namespace, ref.name);

  function get(ref: ObjectRef): KubeObject {
    const object = find(ref);
    if (!object) throw notFound(kindOfRef(ref), ref.name);
    return object;
  }

  function checkNamespace(kind: Kind, object: KubeObject): void {
    if (!kind.isNamespaced) return;
    const name = object.metadata.namespace ?? "";
    const namespace = storage.find(kindOf("v1", "Namespace"), undefined, name);
    if (!namespace) throw notFound(kindOf("v1", "Namespace"), name);
    if (namespace.metadata.deletionTimestamp !== undefined)
      throw namespaceTerminating(kind, object.metadata.name ?? "", name);
  }

  const homeOf = (object: KubeObject): KubeObject | undefined =>
    storage.find(kindOf("v1", "Namespace"), undefined, object.metadata.namespace ?? "");

  function checkPolicies(kind: Kind, operation: Operation, object: KubeObject, subresource?: string): void {
    checkWebhooks(storage, { kind, operation, object, subresource }, faults);
  }

  function create(manifest: Manifest, options: WriteOptions = {}): KubeObject {
    const manager = { name: options.fieldManager ?? "kube-controller-manager", operation: "Update" as const };
    return insert(manifest, options, (kind, object) => trackUpdate(kind, undefined, object, manager, time()));
  }

  function insert(
    manifest: Manifest,
    options: WriteOptions,
    track: (kind: Kind, object: KubeObject) => ObjectMeta["managedFields"],
  ): KubeObject {
    const kind = kindOfRef(manifest);
    const object = normal(kind, manifest);
    checkNamespace(kind, object);
    const suffix = random.bytes(5).toString("hex").slice(0, 5);
    const admitted = admitNew(kind, object, { uid: randomUuid(random), time: time(), suffix });
    const name = admitted.metadata.name ?? "";
    if (storage.find(kind, admitted.metadata.namespace, name)) throw alreadyExists(kind, name);
    checkPolicies(kind, "CREATE", admitted);
    const violation =
      kind.kind === "Pod" && kind.group === "" ? podSecurityViolation(admitted, homeOf(admitted)) : undefined;
    // The server knows no name yet when it refuses a generated one.
    if (violation !== undefined)
      throw forbidden(kind, object.metadata.name ?? object.metadata.generateName ?? name, violation);
    const managedFields = track(kind, admitted);
    const made = { ...admitted, metadata: { ...admitted.metadata, managedFields } };
    return options.isDryRun ? made : storage.put(kind, made);
  }

  /** The way of every change: admitted, tracked, stored unless nothing changed, removed when its last finalizer went. */
  function change(
    kind: Kind,
    before: KubeObject,
    after: KubeObject,
    options: WriteOptions,
    managed?: ObjectMeta["managedFields"],
  ): KubeObject {
    const next = admitChange(kind, before, after, options.subresource);
    next.metadata = { ...next.metadata, ...serverOwned(before) };
    // Controllers write the same status again and again; that is no change and needs no bookkeeping.
    if (managed === undefined && isSame(next, before)) return before;
    checkPolicies(kind, "UPDATE", next, options.subresource);
    const manager = {
      name: options.fieldManager ?? "kube-controller-manager",
      operation: "Update" as const,
      subresource: options.subresource,
    };
    const managedFields = managed ?? trackUpdate(kind, before, next, manager, time());
    if (managedFields.length > 0) next.metadata.managedFields = managedFields;
    else delete next.metadata.managedFields;
    if (isSame(next, before)) return before;
    if (options.isDryRun) return next;
    if (next.metadata.deletionTimestamp !== undefined && !isHeld(next)) return storage.remove(kind, next);
    return storage.put(kind, next);
  }

  function update(manifest: Manifest, options: WriteOptions = {}): KubeObject {
    const kind = kindOfRef(manifest);
    const object = normal(kind, manifest);
    const before = get(refOf(object));
    const version = object.metadata.resourceVersion;
    if (version !== undefined && version !== "" && version !== before.metadata.resourceVersion)
      throw modified(kind, object.metadata.name ?? "");
    return change(kind, before, object, options);
  }

  function patch(ref: ObjectRef, type: PatchType, body: unknown, options: WriteOptions = {}): KubeObject {
    const kind = kindOfRef(ref);
    const before = get(ref);
    const after = patched(kind, type, before, body) as KubeObject;
    const version = after.metadata.resourceVersion;
    if (version !== undefined && version !== before.metadata.resourceVersion) throw modified(kind, ref.name);
    return change(kind, before, after, options);
  }

  function apply(manifest: Manifest, options: WriteOptions & { isForced?: boolean } = {}): KubeObject {
    const kind = kindOfRef(manifest);
    const wanted = normal(kind, manifest);
    if (wanted.metadata.managedFields?.length) throw badRequest("metadata.managedFields must be nil");
    if ((wanted.metadata.name ?? "") === "")
      throw badRequest("name is required when using server-side apply");
    const manager = {
      name: options.fieldManager ?? "slipway-sim",
      operation: "Apply" as const,
      subresource: options.subresource,
    };
    const before = find(refOf(wanted));
    const how = { isForced: options.isForced ?? false, time: time() };
    if (!before) {
      if (options.subresource !== undefined) throw notFound(kind, wanted.metadata.name ?? "");
      return insert(manifest, options, () => trackApply(kind, undefined, wanted, manager, how));
    }
    const version = wanted.metadata.resourceVersion;
    if (version !== undefined && version !== before.metadata.resourceVersion)
      throw modified(kind, wanted.metadata.name ?? "");
    const managed = trackApply(kind, before, wanted, manager, how);
    const kept = withoutFields(kind, before, abandonedFields(kind, before, wanted, manager));
    return change(kind, before, mergeApplied(kind, kept, wanted) as KubeObject, options, managed);
  }

  function remove(ref: ObjectRef, options: DeleteOptions = {}): KubeObject {
    const kind = kindOfRef(ref);
    const before = get(ref);
    const { uid, resourceVersion } = options.preconditions ?? {};
    if (uid !== undefined && uid !== before.metadata.uid) throw modified(kind, ref.name);
    if (resourceVersion !== undefined && resourceVersion !== before.metadata.resourceVersion)
      throw modified(kind, ref.name);
    if (kind.kind === "Namespace" && permanent.includes(ref.name))
      throw forbidden(kind, ref.name, "this namespace may not be deleted");
    checkPolicies(kind, "DELETE", before);
    if (options.isDryRun) return before;
    if (options.propagationPolicy === "Orphan") orphanDependents(storage, before);
    const finalizers = new Set(before.metadata.finalizers);
    if (options.propagationPolicy === "Foreground") finalizers.add("foregroundDeletion");
    const going: KubeObject = {
      ...before,
      metadata: {
        ...before.metadata,
        ...(finalizers.size > 0 && { finalizers: [...finalizers] }),
        deletionTimestamp: before.metadata.deletionTimestamp ?? time(),
        deletionGracePeriodSeconds: 0,
      },
      ...(kind.kind === "Namespace" && { status: { phase: "Terminating" } }),
    };
    if (!isHeld(going)) {
      if (kind.kind === "CustomResourceDefinition") removeInstances(storage, before as Definition);
      return storage.remove(kind, before);
    }
    return before.metadata.deletionTimestamp === undefined ? storage.put(kind, going) : before;
  }

  const store: KubeStore = {
    clock,
    random,
    sufferFrom(standing) {
      faults = standing;
    },
    get revision() {
      return storage.revision;
    },
    get oldest() {
      return storage.oldest;
    },
    kinds: () => storage.kinds(),
    kindOf,
    get,
    find,
    list(query) {
      const isLabelled = query.labels === undefined ? undefined : labelSelector(query.labels);
      const isFielded = query.fields === undefined ? undefined : fieldSelector(query.fields);
      return storage
        .all(kindOfRef(query), query.namespace)
        .filter((object) => (isLabelled?.(object) ?? true) && (isFielded?.(object) ?? true));
    },
    create,
    update,
    patch,
    apply,
    delete: remove,
    changesSince: (revision) => storage.since(revision),
    forgetChanges: () => storage.forget(),
    onChange: (listener) => storage.subscribe(listener),
    toJSON: () => storage.toJSON(),
  };
  if (!saved)
    for (const name of ["default", "kube-system", "kube-public", "kube-node-lease"])
      create({ apiVersion: "v1", kind: "Namespace", metadata: { name } }, { fieldManager: "kube-apiserver" });
  return store;
}

const permanent = ["default", "kube-system", "kube-public"];

export const refOf = (object: KubeObject): ObjectRef => ({
  apiVersion: object.apiVersion,
  kind: object.kind,
  name: object.metadata.name ?? "",
  namespace: object.metadata.namespace,
});

/** All objects of a kind; none where it is not served. */
export const objectsOf = (store: KubeStore, apiVersion: string, kind: string): KubeObject[] =>
  store.kinds().some((known) => known.kind === kind && apiVersionOf(known) === apiVersion)
    ? store.list({ apiVersion, kind })
    : [];

/** What no writer decides: kept as it is until the write is stored. */
const serverOwned = ({ metadata }: KubeObject): ObjectMeta => ({
  ...(metadata.resourceVersion !== undefined && { resourceVersion: metadata.resourceVersion }),
  ...(metadata.managedFields && { managedFields: metadata.managedFields }),
});

/** A namespaced object without a namespace goes to `default`; a cluster's object has none. */
function normal(kind: Kind, manifest: Manifest): KubeObject {
  const { namespace, ...metadata } = manifest.metadata ?? {};
  return {
    ...manifest,
    apiVersion: apiVersionOf(kind),
    metadata: { ...metadata, ...(kind.isNamespaced && { namespace: namespace ?? "default" }) },
  };
}

/** Something still has to be done before a deleted object may go. */
function isHeld(object: KubeObject): boolean {
  const own = object["spec"] as { finalizers?: string[] } | undefined;
  return (
    (object.metadata.finalizers?.length ?? 0) > 0 ||
    (object.kind === "Namespace" && (own?.finalizers?.length ?? 0) > 0)
  );
}

/** Dependents of a deleted owner forget it. */
function orphanDependents(storage: Storage, owner: KubeObject): void {
  for (const kind of storage.kinds())
    for (const object of storage.all(kind)) {
      const owners = object.metadata.ownerReferences ?? [];
      const rest = owners.filter((reference) => reference.uid !== owner.metadata.uid);
      if (rest.length < owners.length)
        storage.put(kind, { ...object, metadata: { ...object.metadata, ownerReferences: rest } });
    }
}

/** With a definition all its objects go. */
function removeInstances(storage: Storage, definition: Definition): void {
  for (const kind of customKinds(definition))
    for (const object of storage.all(kind)) storage.remove(kind, object);
}
