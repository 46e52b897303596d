import type { KubeObject } from "../store/object.ts";
import { refOf } from "../store/store.ts";
import type { Cluster, Controller } from "./controller.ts";

const foreground = "foregroundDeletion";

/** Objects whose owners are gone go too; owners deleted in the foreground go after what they own. */
export const garbage: Controller = {
  concerns({ object, type }, { index }) {
    const owners = (object.metadata.ownerReferences ?? []).map((owner) => owner.uid);
    if (type === "DELETED")
      return [...index.owned(object.metadata.uid).map((owned) => owned.metadata.uid ?? ""), ...owners];
    const isHeld = object.metadata.finalizers?.includes(foreground) ?? false;
    return owners.length > 0 || isHeld ? [object.metadata.uid ?? ""] : [];
  },
  run(uid, cluster) {
    const object = cluster.index.byUid(uid);
    if (!object) return undefined;
    const owners = object.metadata.ownerReferences ?? [];
    if (owners.length > 0 && owners.every((owner) => !cluster.index.isAlive(owner.uid)))
      deleteOnce(cluster, object);
    else if (object.metadata.finalizers?.includes(foreground)) finish(cluster, object);
    return undefined;
  },
};

function finish(cluster: Cluster, owner: KubeObject): void {
  const owned = cluster.index.owned(owner.metadata.uid);
  for (const object of owned) deleteOnce(cluster, object, "Foreground");
  if (cluster.index.owned(owner.metadata.uid).length > 0) return;
  const left = owner.metadata.finalizers?.filter((name) => name !== foreground) ?? [];
  cluster.store.patch(refOf(owner), "merge", { metadata: { finalizers: left.length > 0 ? left : null } });
}

function deleteOnce({ store }: Cluster, object: KubeObject, propagationPolicy?: "Foreground"): void {
  const current = store.find(refOf(object));
  if (current?.metadata.uid === object.metadata.uid && current?.metadata.deletionTimestamp === undefined)
    store.delete(refOf(object), propagationPolicy === undefined ? {} : { propagationPolicy });
}
