import { unknownFields, wrongTypes } from "../admission/known-fields.ts";
import { ApiError, badRequest, invalid, unsupportedMedia } from "../store/api-error.ts";
import { apiVersionOf } from "../store/kinds.ts";
import { type Fields, isFields, type KubeObject, type ObjectMeta, type ObjectRef } from "../store/object.ts";
import type { PatchType } from "../apply/patches.ts";
import {
  bodyOf,
  fieldManagerOf,
  fieldsOfBody,
  type ApiRequest,
  type Reply,
  type Route,
  type User,
} from "./request.ts";
import type { DeleteOptions, KubeStore, Manifest, WriteOptions } from "../store/store.ts";
import { refOf } from "../store/store.ts";
import { readList } from "./read-resources.ts";
import { matcherOf } from "./watch.ts";

const patchTypes: Record<string, PatchType> = {
  "application/json-patch+json": "json",
  "application/merge-patch+json": "merge",
  "application/strategic-merge-patch+json": "strategic",
};

export function optionsOf(route: Route, request: ApiRequest): WriteOptions {
  return {
    fieldManager: fieldManagerOf(request),
    isDryRun: request.query.getAll("dryRun").includes("All"),
    subresource: route.subresource,
  };
}

export const targetOf = (route: Route): ObjectRef => ({
  apiVersion: apiVersionOf(route.kind),
  kind: route.kind.kind,
  name: route.name ?? "",
  namespace: route.namespace,
});

export function createResource(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const body = fieldsOfBody(request);
  checkFields(route, request, body, false);
  const manifest = signedBy(request.user, manifestOf(route, body));
  return { code: 201, body: store.create(manifest, optionsOf(route, request)) };
}

/** Who asks for a certificate is not theirs to say: the server writes it down. */
const signedBy = (user: User, manifest: Manifest): Manifest =>
  manifest.kind === "CertificateSigningRequest"
    ? {
        ...manifest,
        spec: { ...(manifest["spec"] as Fields), username: user.name, groups: user.groups },
      }
    : manifest;

export function replaceResource(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const manifest = manifestOf(route, fieldsOfBody(request));
  return { code: 200, body: store.update(manifest, optionsOf(route, request)) };
}

export function patchResource(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const target = targetOf(route);
  const contentType = (request.headers["content-type"] ?? "").split(";")[0] ?? "";
  if (contentType.startsWith("application/apply-patch")) {
    if (!request.query.has("fieldManager"))
      throw new ApiError(
        422,
        "Invalid",
        'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      );
    const isNew = store.find(target) === undefined;
    const fields = fieldsOfBody(request);
    checkFields(route, request, fields, true);
    const body = store.apply(manifestOf(route, fields), {
      ...optionsOf(route, request),
      isForced: request.query.get("force") === "true",
    });
    return { code: isNew ? 201 : 200, body };
  }
  const type = patchTypes[contentType];
  if (type === undefined || (type === "strategic" && route.kind.custom)) throw unsupportedMedia(contentType);
  return { code: 200, body: store.patch(target, type, bodyOf(request), optionsOf(route, request)) };
}

export function deleteResource(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const target = targetOf(route);
  const before = store.get(target);
  const left = store.delete(target, deleteOptionsOf(request));
  const isHeld = store.find(target)?.metadata.uid === before.metadata.uid;
  if (isHeld || route.kind.kind === "Pod") return { code: 200, body: left };
  return {
    code: 200,
    body: {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Success",
      details: {
        name: target.name,
        group: route.kind.group || undefined,
        kind: route.kind.resource,
        uid: before.metadata.uid,
      },
    },
  };
}

/** Deletes all that the selectors match, and answers with the list of it. */
export function deleteCollection(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const reply = readList(store, route, request);
  const all = store.list({
    apiVersion: apiVersionOf(route.kind),
    kind: route.kind.kind,
    namespace: route.namespace,
  });
  for (const object of all.filter(matcherOf(route, request)))
    store.delete(refOf(object), deleteOptionsOf(request));
  return reply;
}

/** Options come in the body or, from some clients, in the query. */
function deleteOptionsOf(request: ApiRequest): DeleteOptions {
  const body = request.body.length === 0 ? {} : fieldsOfBody(request);
  const policy = body["propagationPolicy"] ?? request.query.get("propagationPolicy") ?? undefined;
  const dryRun = Array.isArray(body["dryRun"]) ? body["dryRun"] : request.query.getAll("dryRun");
  return {
    isDryRun: dryRun.includes("All"),
    propagationPolicy: policy as "Background" | "Foreground" | "Orphan" | undefined,
    preconditions: isFields(body["preconditions"]) ? body["preconditions"] : undefined,
  };
}

/** The body as an object of the route's kind; path and body must say the same. */
export function manifestOf(route: Route, body: Fields): Manifest {
  const { kind, namespace, name } = route;
  const apiVersion = apiVersionOf(kind);
  const given = body as Partial<KubeObject>;
  if (given.kind !== undefined && given.kind !== kind.kind)
    throw badRequest(
      `${given.kind} in version "${given.apiVersion ?? ""}" cannot be handled as a ${kind.kind}: no kind "${given.kind}" is registered here`,
    );
  if (given.apiVersion !== undefined && given.apiVersion !== apiVersion)
    throw badRequest(
      `the API version in the data (${given.apiVersion}) does not match the expected API version (${apiVersion})`,
    );
  const metadata = given.metadata ?? {};
  if (namespace !== undefined && metadata.namespace !== undefined && metadata.namespace !== namespace)
    throw badRequest("the namespace of the provided object does not match the namespace sent on the request");
  if (name !== undefined && metadata.name !== undefined && metadata.name !== name)
    throw badRequest(
      `the name of the object (${metadata.name}) does not match the name on the URL (${name})`,
    );
  return {
    ...body,
    apiVersion,
    kind: kind.kind,
    metadata: {
      ...metadata,
      ...(name !== undefined && { name }),
      namespace: (kind.isNamespaced ? namespace : undefined) ?? metadata.namespace,
    },
  };
}

/** The scale of a workload, read or (with a body) set. */
export function scaleOf(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const target = targetOf(route);
  if (request.method !== "GET") {
    const change = fieldsOfBody(request);
    const replicas = isFields(change["spec"]) ? change["spec"]["replicas"] : undefined;
    const { subresource: _scale, ...options } = optionsOf(route, request);
    store.patch(target, "merge", { spec: { replicas } }, options);
  }
  const object = store.get(target);
  const spec = object["spec"] as { replicas?: number; selector?: { matchLabels?: Record<string, string> } };
  const status = object["status"] as { replicas?: number } | undefined;
  const selector = Object.entries(spec.selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return {
    code: 200,
    body: {
      kind: "Scale",
      apiVersion: "autoscaling/v1",
      metadata: { name, namespace, uid, resourceVersion, creationTimestamp },
      spec: { replicas: spec.replicas ?? 1 },
      status: { replicas: status?.replicas ?? 0, selector: selector.join(",") },
    },
  };
}

/**
 * Refuses fields that the kind does not have: for apply always, and as a failure of the server itself, as the real
 * one does; for other writes when asked to be strict.
 */
function checkFields(route: Route, request: ApiRequest, body: Fields, isApply: boolean): void {
  const { kind } = route;
  const unknown = unknownFields(kind, body);
  const { name = "", namespace = "" } = (body["metadata"] ?? {}) as ObjectMeta;
  if (unknown.length > 0 && isApply)
    throw new ApiError(
      500,
      "InternalError",
      `failed to create typed patch object (${namespace}/${name}; ${kind.group === "" ? "/" : ""}${apiVersionOf(kind)}, Kind=${kind.kind}): ${unknown.map((field) => `.${field}: field not declared in schema`).join("; ")}`,
    );
  if (unknown.length > 0 && request.query.get("fieldValidation") === "Strict")
    throw badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: strict decoding error: ${unknown.map((field) => `unknown field "${field}"`).join(", ")}`,
    );
  const [wrong] = kind.custom ? wrongTypes(kind.custom.schema, body) : [];
  if (wrong)
    throw invalid(
      kind,
      name,
      wrong.field,
      `Invalid value: ${wrong.field} in body must be of type ${wrong.type}`,
    );
}
