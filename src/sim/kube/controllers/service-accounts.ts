import type { KubeObject } from "../object.ts";
import type { KubeStore } from "../store.ts";
import { concernedWith, type Controller } from "./controller.ts";

/** Every namespace has a service account `default` and the cluster's root certificate. */
export const serviceAccounts: Controller = {
  isConcerned: concernedWith("Namespace", "ServiceAccount"),
  run(store) {
    for (const namespace of store.list({ apiVersion: "v1", kind: "Namespace" }))
      if (namespace.metadata.deletionTimestamp === undefined) ensureDefault(store, namespace);
    return undefined;
  },
};

function ensureDefault(store: KubeStore, namespace: KubeObject): void {
  const account = { apiVersion: "v1", kind: "ServiceAccount" };
  const metadata = { name: "default", namespace: namespace.metadata.name ?? "" };
  if (!store.find({ ...account, ...metadata })) store.create({ ...account, metadata });
}
