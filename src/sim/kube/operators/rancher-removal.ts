import type { Cluster } from "../controllers/controller.ts";
import { digText, type KubeObject } from "../object.ts";
import { refOf, type KubeStore } from "../store.ts";
import { cleanUpJob, findCleanUp, isClean } from "./cattle-cleanup.ts";
import { connectedCluster } from "./rancher-agents.ts";
import { managed, managedFinalizers, provisionedFinalizer } from "./rancher-clusters.ts";
import { registrationToken } from "./rancher-tokens.ts";
import { rancherVersion } from "./rancher-version.ts";

/** A cluster that somebody deleted goes after the object Rancher made for it. */
export function releaseCluster({ store }: Cluster, wanted: KubeObject): void {
  const id = digText(wanted, "status", "clusterName");
  const own = id === "" ? undefined : store.find({ ...managed, name: id });
  if (!own) letGo(store, wanted, [provisionedFinalizer]);
  else if (own.metadata.deletionTimestamp === undefined) store.delete(refOf(own));
}

/** That object goes when the cluster itself is clean, which only its agent can bring about. Without it, it stays. */
export function removeCluster(manager: Cluster, own: KubeObject): void {
  const { store, faults } = manager;
  const workload = `fleet-default/${digText(own, "spec", "displayName")}`;
  if (faults.find("removal-stuck", { workload })) return;
  const hasEverConnected = digText(own, "status", "driver") !== "";
  if (hasEverConnected && !isCleaned(manager, own.metadata.name ?? "")) return;
  const home = store.find({ apiVersion: "v1", kind: "Namespace", name: own.metadata.name ?? "" });
  if (home && home.metadata.deletionTimestamp === undefined) store.delete(refOf(home));
  letGo(store, own, managedFinalizers);
}

function isCleaned(manager: Cluster, id: string): boolean {
  const cleaning = findCleanUp(manager.site.clusters, id);
  if (cleaning) return isClean(cleaning);
  const downstream = connectedCluster(manager, registrationToken(manager.store, id));
  downstream?.store.create(cleanUpJob(id, `rancher/rancher-agent:${rancherVersion(manager.store)}`));
  return false;
}

function letGo(store: KubeStore, object: KubeObject, finalizers: string[]): void {
  const left = object.metadata.finalizers?.filter((each) => !finalizers.includes(each)) ?? [];
  store.patch(refOf(object), "merge", { metadata: { finalizers: left.length > 0 ? left : null } });
}
