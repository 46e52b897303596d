import { columnsOf } from "./columns.ts";
import { apiVersionOf, type Kind } from "../store/kinds.ts";
import type { Fields, KubeObject } from "../store/object.ts";

/** Objects as the table `kubectl get` prints. `detail` is what travels along with each row. */
export function tableOf(
  kind: Kind,
  objects: KubeObject[],
  options: { nowMs: number; detail: string; metadata: Fields },
): Fields {
  const columns = columnsOf(kind);
  return {
    kind: "Table",
    apiVersion: "meta.k8s.io/v1",
    metadata: options.metadata,
    columnDefinitions: columns.map((column) => ({
      name: column.name,
      type: column.type ?? "string",
      format: column.name === "Name" ? "name" : "",
      description: "",
      priority: column.priority ?? 0,
    })),
    rows: objects.map((object) => ({
      cells: columns.map((column) => column.cell(object, options.nowMs)),
      ...rowObject(kind, object, options.detail),
    })),
  };
}

function rowObject(kind: Kind, object: KubeObject, detail: string): Fields {
  if (detail === "None") return {};
  if (detail === "Object") return { object: { ...object, apiVersion: apiVersionOf(kind), kind: kind.kind } };
  return { object: partialOf(object) };
}

/** Only the metadata, as asked for by clients that need no more. */
export const partialOf = (object: KubeObject): Fields => ({
  kind: "PartialObjectMetadata",
  apiVersion: "meta.k8s.io/v1",
  metadata: object.metadata,
});
