import { ApiError, badRequest } from "../store/api-error.ts";
import { apiVersionOf } from "../store/kinds.ts";
import type { Fields, KubeObject } from "../store/object.ts";
import { acceptedForms, type ApiRequest, type Reply, type Route } from "./request.ts";
import type { KubeStore } from "../store/store.ts";
import { partialOf, tableOf } from "../tables/table.ts";
import { matcherOf } from "./watch.ts";

type Form = "Table" | "Partial" | "Full";

/** The first form the client accepts that this server knows. */
export function formOf(request: ApiRequest): Form {
  for (const { as } of acceptedForms(request)) {
    if (as === "Table") return "Table";
    if (as.startsWith("PartialObjectMetadata")) return "Partial";
    if (as === "") return "Full";
  }
  return "Full";
}

export function readOne(route: Route, request: ApiRequest, object: KubeObject, nowMs: number): Reply {
  return { code: 200, body: shapeOne(route, request, object, nowMs) };
}

/** One object in the form asked for. */
export function shapeOne(route: Route, request: ApiRequest, object: KubeObject, nowMs: number): Fields {
  const form = formOf(request);
  if (form === "Partial") return partialOf(object);
  if (form === "Full") return object;
  return tableOf(route.kind, [object], {
    nowMs,
    detail: request.query.get("includeObject") ?? "Metadata",
    metadata: { resourceVersion: object.metadata.resourceVersion },
  });
}

/** A list, or a page of one, in the form asked for. */
export function readList(store: KubeStore, route: Route, request: ApiRequest): Reply {
  const { kind, namespace } = route;
  const apiVersion = apiVersionOf(kind);
  const matches = matcherOf(route, request);
  const all = store.list({ apiVersion, kind: kind.kind, namespace }).filter(matches);
  const { page, metadata } = pageOf(all, request, store);
  const form = formOf(request);
  if (form === "Table") {
    const detail = request.query.get("includeObject") ?? "Metadata";
    return { code: 200, body: tableOf(kind, page, { nowMs: store.clock.now(), detail, metadata }) };
  }
  if (form === "Partial")
    return {
      code: 200,
      body: {
        kind: "PartialObjectMetadataList",
        apiVersion: "meta.k8s.io/v1",
        metadata,
        items: page.map(partialOf),
      },
    };
  return {
    code: 200,
    body: { kind: `${kind.kind}List`, apiVersion, metadata, items: kind.custom ? page : page.map(untyped) },
  };
}

/** Lists of built-in kinds do not repeat kind and version in every item. */
function untyped(object: KubeObject): Fields {
  const { kind: _kind, apiVersion: _version, ...rest } = object;
  return rest;
}

function pageOf(
  all: KubeObject[],
  request: ApiRequest,
  { revision, oldest }: { revision: number; oldest: number },
) {
  const limit = Number(request.query.get("limit") ?? 0);
  const token = tokenOf(request.query.get("continue"));
  if (token && token.revision < oldest)
    throw new ApiError(
      410,
      "Expired",
      "The provided continue parameter is too old to display a consistent list result.",
    );
  const from = token?.start ?? 0;
  const page = limit > 0 ? all.slice(from, from + limit) : all.slice(from);
  const left = all.length - from - page.length;
  const next = Buffer.from(
    JSON.stringify({ v: "meta.k8s.io/v1", start: from + page.length, revision: token?.revision ?? revision }),
  ).toString("base64url");
  return {
    page,
    metadata: {
      resourceVersion: String(revision),
      ...(left > 0 && { continue: next, remainingItemCount: left }),
    },
  };
}

function tokenOf(token: string | null): { start: number; revision: number } | undefined {
  if (!token) return undefined;
  try {
    return JSON.parse(Buffer.from(token, "base64url").toString("utf8")) as {
      start: number;
      revision: number;
    };
  } catch {
    throw badRequest("continue key is not valid");
  }
}
