import { createHash } from "node:crypto";
import { unknownPath } from "../store/api-error.ts";
import { apiVersionOf, type Kind } from "../store/kinds.ts";
import { isFields, type Fields } from "../store/object.ts";
import type { Reply } from "./request.ts";

/**
 * The OpenAPI v3 documents clients ask for. Built-in kinds are described only as far as their outline: enough for a
 * client to learn which query parameters a kind takes and which fields stand at its top; definitions bring their own
 * full schema.
 */
export function openApi(kinds: Kind[], path: string): Reply {
  const groups = new Map<string, Kind[]>();
  for (const kind of kinds) {
    const at = kind.group === "" ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
    groups.set(at, [...(groups.get(at) ?? []), kind]);
  }
  const at = path.replace(/^\/openapi\/v3\/?/, "");
  if (at === "")
    return {
      code: 200,
      body: {
        paths: Object.fromEntries(
          [...groups].map(([name, list]) => [
            name,
            { serverRelativeURL: `/openapi/v3/${name}?hash=${digest(list)}` },
          ]),
        ),
      },
    };
  const served = groups.get(at);
  if (!served) throw unknownPath();
  return { code: 200, body: documentOf(at, served) };
}

const digest = (kinds: Kind[]): string =>
  createHash("sha256").update(JSON.stringify(kinds)).digest("hex").slice(0, 32).toUpperCase();

function documentOf(at: string, kinds: Kind[]): Fields {
  return {
    openapi: "3.0.0",
    info: { title: "Kubernetes", version: "simulated" },
    paths: Object.fromEntries(kinds.flatMap((kind) => pathsOf(at, kind))),
    components: {
      schemas: {
        ObjectMeta: objectMeta,
        ...Object.fromEntries(kinds.map((kind) => [schemaName(kind), schemaOf(kind)])),
      },
    },
  };
}

const schemaName = (kind: Kind): string =>
  [...(kind.group === "" ? ["core"] : kind.group.split(".").toReversed()), kind.version, kind.kind].join(".");

function pathsOf(at: string, kind: Kind): [string, Fields][] {
  const base = kind.isNamespaced
    ? `/${at}/namespaces/{namespace}/${kind.resource}`
    : `/${at}/${kind.resource}`;
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  const query = (...names: string[]) =>
    names.map((name) => ({ name, in: "query", schema: { type: "string", uniqueItems: true } }));
  const operation = (action: string, ...names: string[]) => ({
    "x-kubernetes-action": action,
    "x-kubernetes-group-version-kind": gvk,
    parameters: query(...names),
    responses: { "200": { description: "OK" } },
  });
  const write = ["dryRun", "fieldManager", "fieldValidation"];
  if (kind.verbs.length === 1) return [[base, { post: operation("post", ...write) }]];
  return [
    [base, { get: operation("list", "labelSelector", "fieldSelector"), post: operation("post", ...write) }],
    [
      `${base}/{name}`,
      {
        get: operation("get"),
        put: operation("put", ...write),
        patch: operation("patch", ...write, "force"),
        delete: operation("delete", "dryRun", "propagationPolicy"),
      },
    ],
  ];
}

const text = (description: string): Fields => ({ type: "string", description });

const objectMeta: Fields = {
  type: "object",
  description: "What every stored object carries: its names, labels, annotations and owners.",
  properties: {
    name: text("The name, unique among its kind in a namespace."),
    namespace: text("The namespace the object lives in."),
    labels: { type: "object", additionalProperties: { type: "string" }, description: "For selecting." },
    annotations: { type: "object", additionalProperties: { type: "string" }, description: "For tools." },
  },
};

function schemaOf(kind: Kind): Fields {
  const own = isFields(kind.custom?.schema) ? kind.custom.schema : { type: "object" };
  return {
    ...own,
    description: own["description"] ?? `${kind.kind} as the simulated API server keeps it.`,
    properties: {
      apiVersion: text(`Always ${apiVersionOf(kind)}.`),
      kind: text(`Always ${kind.kind}.`),
      ...(!kind.custom && {
        spec: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          description: "What is wanted.",
        },
        status: {
          type: "object",
          "x-kubernetes-preserve-unknown-fields": true,
          description: "What was seen.",
        },
      }),
      ...(isFields(own["properties"]) && own["properties"]),
      metadata: {
        allOf: [{ $ref: "#/components/schemas/ObjectMeta" }],
        default: {},
        description: "Names and labels.",
      },
    },
    "x-kubernetes-group-version-kind": [{ group: kind.group, version: kind.version, kind: kind.kind }],
  };
}
