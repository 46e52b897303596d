import type { ServerResponse } from "node:http";
import { ApiError, badRequest } from "../store/api-error.ts";
import { apiVersionOf } from "../store/kinds.ts";
import type { Fields, KubeObject } from "../store/object.ts";
import type { ApiRequest, Route } from "./request.ts";
import { fieldSelector, labelSelector, type Matches } from "../store/selectors.ts";
import type { Change } from "../store/storage.ts";
import type { KubeStore } from "../store/store.ts";

const bookmarkEveryMs = 30_000;

/** Streams changes as JSON lines until the client or its time limit ends it. `shape` turns an object into what was asked for. */
export function streamWatch(
  store: KubeStore,
  route: Route,
  request: ApiRequest,
  response: ServerResponse,
  shape: (object: KubeObject) => Fields,
): void {
  const matches = matcherOf(route, request);
  const isBookmarked = request.query.get("allowWatchBookmarks") === "true";
  const asked = request.query.get("resourceVersion") ?? "";
  const isInitial = request.query.get("sendInitialEvents");
  if (!/^\d*$/.test(asked)) throw badRequest(`invalid resource version "${asked}"`);

  response.writeHead(200, { "content-type": "application/json", "cache-control": "no-cache, private" });
  response.flushHeaders();
  const send = (type: string, object: KubeObject | ApiError["status"]) => {
    const body = type === "ERROR" || type === "BOOKMARK" ? object : shape(object as KubeObject);
    response.write(`${JSON.stringify({ type, object: body })}\n`);
  };
  const bookmark = (annotations?: Record<string, string>) =>
    send("BOOKMARK", {
      kind: route.kind.kind,
      apiVersion: apiVersionOf(route.kind),
      metadata: { resourceVersion: String(store.revision), annotations },
    });
  const tell = (change: Change) => {
    if (change.kind.group !== route.kind.group || change.kind.resource !== route.kind.resource) return;
    const seen = seenAs(change, matches);
    if (seen) send(seen, { ...change.object, apiVersion: apiVersionOf(route.kind) });
  };

  if (isInitial === "true" || (isInitial === null && (asked === "" || asked === "0"))) {
    for (const object of currentOf(store, route).filter(matches)) send("ADDED", object);
    if (isInitial === "true") bookmark({ "k8s.io/initial-events-end": "true" });
  } else {
    try {
      for (const change of store.changesSince(asked === "" ? store.revision : Number(asked))) tell(change);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      send("ERROR", error.status);
      response.end();
      return;
    }
  }
  const unsubscribe = store.onChange(tell);
  let cancelBeat: (() => void) | undefined;
  const beat = (): void => {
    bookmark();
    cancelBeat = store.clock.after(bookmarkEveryMs, beat);
  };
  if (isBookmarked) cancelBeat = store.clock.after(bookmarkEveryMs, beat);
  const seconds = Number(request.query.get("timeoutSeconds") ?? 0);
  const cancelEnd = seconds > 0 ? store.clock.after(seconds * 1000, () => response.end()) : undefined;
  response.once("close", () => {
    unsubscribe();
    cancelBeat?.();
    cancelEnd?.();
  });
}

/** What a watcher sees of a change: an object that begins or stops to match comes or goes. */
function seenAs(change: Change, matches: Matches): Change["type"] | undefined {
  const was = change.before !== undefined && matches(change.before);
  const is = change.type !== "DELETED" && matches(change.object);
  if (was && is) return "MODIFIED";
  if (was) return "DELETED";
  return is ? "ADDED" : undefined;
}

function currentOf(store: KubeStore, { kind, namespace }: Route): KubeObject[] {
  return store.list({
    apiVersion: apiVersionOf(kind),
    kind: kind.kind,
    namespace,
  });
}

export function matcherOf(route: Route, request: ApiRequest): Matches {
  const labels = request.query.get("labelSelector");
  const fields = request.query.get("fieldSelector");
  const tests: Matches[] = [
    ...(labels ? [labelSelector(labels)] : []),
    ...(fields ? [fieldSelector(fields)] : []),
    ...(route.namespace === undefined || !route.kind.isNamespaced
      ? []
      : [(object: KubeObject) => object.metadata.namespace === route.namespace]),
    ...(route.name === undefined ? [] : [(object: KubeObject) => object.metadata.name === route.name]),
  ];
  return (object) => tests.every((test) => test(object));
}
