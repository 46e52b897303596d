import type { IncomingHttpHeaders } from "node:http";
import { parse } from "yaml";
import { badRequest, unknownPath, unsupportedMedia } from "../store/api-error.ts";
import { apiVersionOf, type Kind } from "../store/kinds.ts";
import { isFields } from "../store/object.ts";
import { decodeProtobuf } from "./protobuf.ts";

export interface User {
  name: string;
  groups: string[];
}

/** A call as it arrived, its sender known. */
export interface ApiRequest {
  method: string;
  path: string;
  query: URLSearchParams;
  headers: IncomingHttpHeaders;
  body: Buffer;
  user: User;
}

export interface Reply {
  code: number;
  body: unknown;
  contentType?: string;
  headers?: Record<string, string> | undefined;
}

/** What a path points at. */
export interface Route {
  kind: Kind;
  namespace?: string | undefined;
  name?: string | undefined;
  subresource?: string | undefined;
}

/** `/api/v1/namespaces/x/pods/y/status` and its relatives; refuses what is not served. */
export function routeOf(kinds: Kind[], path: string): Route {
  const steps = path.split("/").filter(Boolean).map(decodeURIComponent);
  const apiVersion = steps[0] === "api" ? steps[1] : steps.slice(1, 3).join("/");
  const rest = steps.slice(steps[0] === "api" ? 2 : 3);
  const isInside =
    rest[0] === "namespaces" && rest.length > 2 && !["status", "finalize"].includes(rest[2] ?? "");
  const namespace = isInside ? rest[1] : undefined;
  const [resource, name, subresource, ...more] = isInside ? rest.slice(2) : rest;
  const kind = kinds.find((row) => row.resource === resource && apiVersionOf(row) === apiVersion);
  if (!kind || more.length > 0 || (isInside && !kind.isNamespaced)) throw unknownPath();
  if (subresource !== undefined && !kind.subresources.includes(subresource)) throw unknownPath();
  return {
    kind,
    namespace,
    name,
    subresource,
  };
}

/** The body as data; the server reads JSON and YAML, and of patches every kind. */
export function bodyOf(request: ApiRequest): unknown {
  const type = (request.headers["content-type"] ?? "application/json").split(";")[0] ?? "";
  if (type === "application/vnd.kubernetes.protobuf") return decodeProtobuf(request.body);
  if (!/json|yaml/.test(type)) throw unsupportedMedia(type);
  const text = request.body.toString("utf8");
  if (text === "") return {};
  try {
    return /yaml/.test(type) ? parse(text) : JSON.parse(text);
  } catch (error) {
    throw badRequest(`the object provided is unrecognized: ${(error as Error).message}`);
  }
}

export function fieldsOfBody(request: ApiRequest): Record<string, unknown> {
  const body = bodyOf(request);
  if (!isFields(body)) throw badRequest("the object provided is unrecognized (must be an object)");
  return body;
}

export const fieldManagerOf = (request: ApiRequest): string =>
  request.query.get("fieldManager") ??
  (request.headers["user-agent"] ?? "unknown").split("/")[0] ??
  "unknown";

/** The forms a client accepts, in its order: `{ as: "Table" }`, `{ as: "" }`. */
export function acceptedForms(request: ApiRequest): { as: string; group: string; version: string }[] {
  return (request.headers.accept ?? "*/*").split(",").flatMap((entry) => {
    const [type = "", ...parameters] = entry.trim().split(";");
    if (!["application/json", "application/*", "*/*"].includes(type.trim())) return [];
    const values = new Map(
      parameters.map((parameter) => parameter.trim().split("=") as [string, string | undefined]),
    );
    return [{ as: values.get("as") ?? "", group: values.get("g") ?? "", version: values.get("v") ?? "" }];
  });
}
