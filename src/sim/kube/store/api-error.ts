import type { Fields } from "./object.ts";
import type { Kind } from "./kinds.ts";

/** What the API server answers when it does not do what was asked: a `Status` object. */
export interface Status {
  kind: "Status";
  apiVersion: "v1";
  metadata: Fields;
  status: "Failure" | "Success";
  message?: string;
  reason?: string;
  details?: Fields | undefined;
  code?: number;
}

/** Thrown by the simulated server; becomes the answer as it stands. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  readonly status: Status & { code: number };

  constructor(code: number, reason: string, message: string, details?: Fields) {
    super(message);
    this.status = {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message,
      reason,
      details,
      code,
    };
  }
}

const qualified = (kind: Kind): string =>
  kind.group === "" ? kind.resource : `${kind.resource}.${kind.group}`;

const named = (kind: Kind, name: string): Fields => ({
  name,
  group: kind.group || undefined,
  kind: kind.resource,
});

export const notFound = (kind: Kind, name: string) =>
  new ApiError(404, "NotFound", `${qualified(kind)} "${name}" not found`, named(kind, name));

export const alreadyExists = (kind: Kind, name: string) =>
  new ApiError(409, "AlreadyExists", `${qualified(kind)} "${name}" already exists`, named(kind, name));

export const modified = (kind: Kind, name: string) =>
  new ApiError(
    409,
    "Conflict",
    `Operation cannot be fulfilled on ${qualified(kind)} "${name}": the object has been modified; please apply your changes to the latest version and try again`,
    named(kind, name),
  );

export const invalid = (kind: Kind, name: string, field: string, message: string) =>
  new ApiError(
    422,
    "Invalid",
    `${kind.group === "" ? kind.kind : `${kind.kind}.${kind.group}`} "${name}" is invalid: ${field}: ${message}`,
    {
      name,
      group: kind.group || undefined,
      kind: kind.kind,
      causes: [{ reason: "FieldValueInvalid", message, field }],
    },
  );

export const forbidden = (kind: Kind, name: string, why: string, causes?: Fields[]) =>
  new ApiError(
    403,
    "Forbidden",
    `${qualified(kind)}${name === "" ? "" : ` "${name}"`} is forbidden: ${why}`,
    { ...named(kind, name), causes },
  );

export const namespaceTerminating = (kind: Kind, name: string, namespace: string) =>
  forbidden(
    kind,
    name,
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    [
      {
        reason: "NamespaceTerminating",
        message: `namespace ${namespace} is being terminated`,
        field: "metadata.namespace",
      },
    ],
  );

export const badRequest = (message: string) => new ApiError(400, "BadRequest", message);

export const unauthorized = () => new ApiError(401, "Unauthorized", "Unauthorized");

export const unknownPath = () =>
  new ApiError(404, "NotFound", "the server could not find the requested resource", {});

export const methodNotAllowed = () =>
  new ApiError(
    405,
    "MethodNotAllowed",
    "the server does not allow this method on the requested resource",
    {},
  );

export const unsupportedMedia = (type: string) =>
  new ApiError(
    415,
    "UnsupportedMediaType",
    `the body of the request was in an unknown format - accepted media types include: application/json, application/yaml (got ${type})`,
    {},
  );

export const expired = (asked: number, oldest: number) =>
  new ApiError(410, "Expired", `too old resource version: ${asked} (${oldest})`);
