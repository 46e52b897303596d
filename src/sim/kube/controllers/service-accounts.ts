import type { Controller } from "./controller.ts";

/** Every namespace has a service account `default`. */
export const serviceAccounts: Controller = {
  concerns({ object, kind, type }) {
    if (kind.kind === "Namespace" && type !== "DELETED") return [object.metadata.name ?? ""];
    return type === "DELETED" && kind.kind === "ServiceAccount" ? [object.metadata.namespace ?? ""] : [];
  },
  run(name, { store }) {
    const namespace = store.find({ apiVersion: "v1", kind: "Namespace", name });
    if (!namespace || namespace.metadata.deletionTimestamp !== undefined) return undefined;
    const account = { apiVersion: "v1", kind: "ServiceAccount" };
    const own = { name: "default", namespace: name };
    if (!store.find({ ...account, ...own })) store.create({ ...account, metadata: own });
    return undefined;
  },
};
