import { apiVersionOf } from "../kinds.ts";
import type { KubeObject } from "../object.ts";
import type { KubeStore } from "../store.ts";
import { refOf } from "../store.ts";
import type { Controller } from "./controller.ts";

const foreground = "foregroundDeletion";

/** Objects whose owners are gone go too; owners deleted in the foreground go after what they own. */
export const garbage: Controller = {
  isConcerned: (change) =>
    change.type === "DELETED" || change.object.metadata.deletionTimestamp !== undefined,
  run(store) {
    const all = everything(store);
    const alive = new Set(all.map((object) => object.metadata.uid));
    for (const object of all) {
      const owners = object.metadata.ownerReferences ?? [];
      if (owners.length > 0 && owners.every((owner) => !alive.has(owner.uid))) deleteOnce(store, object);
    }
    for (const owner of all) if (owner.metadata.finalizers?.includes(foreground)) finish(store, owner, all);
    return undefined;
  },
};

function finish(store: KubeStore, owner: KubeObject, all: KubeObject[]): void {
  const owned = all.filter(
    (object) =>
      store.find(refOf(object)) &&
      object.metadata.ownerReferences?.some((reference) => reference.uid === owner.metadata.uid),
  );
  for (const object of owned) deleteOnce(store, object, "Foreground");
  if (owned.some((object) => store.find(refOf(object)))) return;
  const left = owner.metadata.finalizers?.filter((name) => name !== foreground) ?? [];
  store.patch(refOf(owner), "merge", { metadata: { finalizers: left.length > 0 ? left : null } });
}

function deleteOnce(store: KubeStore, object: KubeObject, propagationPolicy?: "Foreground"): void {
  const current = store.find(refOf(object));
  if (current?.metadata.uid === object.metadata.uid && current?.metadata.deletionTimestamp === undefined)
    store.delete(refOf(object), propagationPolicy === undefined ? {} : { propagationPolicy });
}

const everything = (store: KubeStore): KubeObject[] =>
  store
    .kinds()
    .filter((kind) => kind.verbs.includes("list"))
    .flatMap((kind) => store.list({ apiVersion: apiVersionOf(kind), kind: kind.kind }));
