import type { KubeStore } from "../store.ts";
import { refOf } from "../store.ts";
import { apiVersionOf } from "../kinds.ts";
import type { Controller } from "./controller.ts";

/** Empties a namespace that is being deleted, then lets it go. */
export const namespaces: Controller = {
  isConcerned: (change) => change.kind.kind === "Namespace" || change.type === "DELETED",
  run(store) {
    for (const namespace of store.list({ apiVersion: "v1", kind: "Namespace" })) {
      if (namespace.metadata.deletionTimestamp === undefined) continue;
      const isEmpty = emptyNamespace(store, namespace.metadata.name ?? "");
      if (isEmpty) store.patch(refOf(namespace), "merge", { spec: { finalizers: null } });
    }
    return undefined;
  },
};

/** True when nothing is left; what finalizers hold stays. */
function emptyNamespace(store: KubeStore, namespace: string): boolean {
  let isEmpty = true;
  for (const kind of store.kinds()) {
    if (!kind.isNamespaced || !kind.verbs.includes("list")) continue;
    const query = { apiVersion: apiVersionOf(kind), kind: kind.kind, namespace };
    for (const object of store.list(query))
      if (object.metadata.deletionTimestamp === undefined) store.delete(refOf(object));
    if (store.list(query).length > 0) isEmpty = false;
  }
  return isEmpty;
}
