import { ApiError, badRequest, invalid } from "./api-error.ts";
import { unknownFields, wrongTypes } from "./known-fields.ts";
import { apiVersionOf } from "./kinds.ts";
import type { Fields, ObjectMeta } from "./object.ts";
import type { ApiRequest, Route } from "./request.ts";

/**
 * Refuses fields that the kind does not have: for apply always, and as a failure of the server itself, as the real
 * one does; for other writes when asked to be strict.
 */
export function checkFields(route: Route, request: ApiRequest, body: Fields, isApply: boolean): void {
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
