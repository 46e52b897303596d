import { hasCondition } from "../controllers/nodes/node-fit.ts";
import type { Kind } from "../store/kinds.ts";
import { methodNotAllowed, notFound, unknownPath } from "../store/api-error.ts";
import { checkPath, checkVerb, isMaster } from "./authentication.ts";
import { isGranted, type Access } from "./authorization.ts";
import { evictPod } from "./evict-pod.ts";
import { discover } from "./discovery.ts";
import { openApi } from "./openapi.ts";
import { readLog } from "./read-log.ts";
import { readList, readOne } from "./read-resources.ts";
import { fieldsOfBody, routeOf, type ApiRequest, type Reply, type Route } from "./request.ts";
import { digText } from "../store/object.ts";
import type { KubeStore } from "../store/store.ts";
import {
  createResource,
  deleteCollection,
  deleteResource,
  patchResource,
  replaceResource,
  scaleOf,
  targetOf,
} from "./write-resources.ts";

/** The answer to a call; a watch is answered elsewhere and comes back as its route. */
export type Answer = { reply: Reply } | { watch: Route };

export function handleRequest(store: KubeStore, request: ApiRequest, version: string): Answer {
  const { path, method } = request;
  const steps = path.split("/").filter(Boolean);
  const isResource = (steps[0] === "api" && steps.length > 2) || (steps[0] === "apis" && steps.length > 3);
  if (isResource) return handleResource(store, request);
  checkPath(request.user, method, path);
  if (method !== "GET" && method !== "HEAD") throw methodNotAllowed();
  if (/^\/(livez|readyz|healthz)(\/|$)/.test(path))
    return { reply: { code: 200, body: "ok", contentType: "text/plain" } };
  if (path === "/version") return { reply: { code: 200, body: versionInfo(version) } };
  if (steps[0] === "api" || steps[0] === "apis") return { reply: discover(servedKinds(store), request) };
  if (path.startsWith("/openapi/v3")) return { reply: openApi(servedKinds(store), path) };
  throw unknownPath();
}

function handleResource(store: KubeStore, request: ApiRequest): Answer {
  const route = routeOf(servedKinds(store), request.path);
  const isWatch = ["true", "1"].includes(request.query.get("watch") ?? "");
  const verb = verbOf(request.method, route, isWatch);
  checkVerb(store, request.user, verb, route);
  if (!route.kind.verbs.includes(verb) && route.subresource === undefined) throw methodNotAllowed();
  if (verb === "watch") return { watch: route };
  return { reply: answer(store, route, request, verb) };
}

function verbOf(method: string, route: Route, isWatch: boolean): string {
  if (method === "GET" && isWatch) return "watch";
  if (method === "GET" || method === "HEAD") return route.name === undefined ? "list" : "get";
  if (method === "POST") return "create";
  if (method === "PUT") return "update";
  if (method === "PATCH") return "patch";
  if (method === "DELETE") return route.name === undefined ? "deletecollection" : "delete";
  throw methodNotAllowed();
}

function answer(store: KubeStore, route: Route, request: ApiRequest, verb: string): Reply {
  if (route.subresource === "scale") return scaleOf(store, route, request);
  if (route.subresource === "eviction") return evictPod(store, route, request);
  if (route.subresource === "log") return readLog(store, route, request);
  if (route.kind.resource.startsWith("selfsubject")) return answerReview(store, route, request);
  switch (verb) {
    case "list":
      return readList(store, route, request);
    case "get": {
      const object = store.find(targetOf(route));
      if (!object) throw notFound(route.kind, route.name ?? "");
      return readOne(route, request, object, store.clock.now());
    }
    case "create":
      return createResource(store, route, request);
    case "update":
      return route.subresource === "finalize"
        ? finalizeNamespace(store, route, request)
        : replaceResource(store, route, request);
    case "patch":
      return patchResource(store, route, request);
    case "delete":
      return deleteResource(store, route, request);
    case "deletecollection":
      return deleteCollection(store, route, request);
    default:
      throw methodNotAllowed();
  }
}

/** The only door through which a namespace loses its own finalizer. */
const finalizeNamespace = (store: KubeStore, route: Route, request: ApiRequest): Reply =>
  replaceResource(store, { kind: route.kind, name: route.name }, request);

function versionInfo(version: string) {
  const [major = "1", minor = "0"] = version.replace(/^v/, "").split(".");
  return {
    major,
    minor,
    emulationMajor: major,
    emulationMinor: minor,
    gitVersion: version.startsWith("v") ? version : `v${version}`,
    gitCommit: "",
    gitTreeState: "clean",
    buildDate: "1970-01-01T00:00:00Z",
    goVersion: "",
    compiler: "",
    platform: "linux/amd64",
  };
}

/** Questions about oneself: `kubectl auth whoami` and `kubectl auth can-i`. */
function answerReview(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const body = fieldsOfBody(request);
  const status =
    route.kind.kind === "SelfSubjectReview"
      ? { userInfo: { username: request.user.name, groups: request.user.groups } }
      : { allowed: isMaster(request.user) || isGranted(store, request.user, accessIn(body)) };
  return { code: 201, body: { ...body, metadata: { creationTimestamp: null }, status } };
}

function accessIn(body: Record<string, unknown>): Access {
  const said = (field: string): string => digText(body, "spec", "resourceAttributes", field);
  const given = (field: string): string | undefined => (said(field) === "" ? undefined : said(field));
  return {
    ...{ verb: said("verb"), group: said("group"), resource: said("resource") },
    ...{ subresource: given("subresource"), namespace: given("namespace"), name: given("name") },
  };
}

/** APIs that are not the server's own: a pod behind a Service answers for them. */
const aggregated = new Set(["metrics.k8s.io"]);

/** What the server answers for now: an API behind a Service only while somebody is there. */
const servedKinds = (store: KubeStore): Kind[] =>
  store
    .kinds()
    .filter(({ group, version }) => !aggregated.has(group) || isAvailable(store, `${version}.${group}`));

function isAvailable(store: KubeStore, name: string): boolean {
  const service = store.find({ apiVersion: "apiregistration.k8s.io/v1", kind: "APIService", name });
  return service !== undefined && hasCondition(service, "Available");
}
