import { cleanUpJob, findCleanUp, isClean } from "./cattle-cleanup.ts";
import { connectedCluster } from "./agents.ts";
import { registrationToken } from "./tokens.ts";
import {
  type Cluster,
  type Controller,
  dig,
  digText,
  ensure,
  hasCondition,
  isServed,
  type KubeObject,
  type KubeStore,
  refOf,
} from "../../../sim/kube/index.ts";
import { sinceOf, writeStatus } from "./conditions.ts";
import { ensureAuthority } from "./authority.ts";
import {
  admitCluster,
  followCluster,
  hold,
  managed,
  managedFinalizers,
  provisioned,
  provisionedFinalizer,
} from "./clusters.ts";
import { rancherKinds, rancherNamespaces, rancherPrograms } from "./objects.ts";
import { authorityOf, firstSettings, settingKind, settingOf } from "./settings.ts";
import { rancherNamespace, rancherVersion } from "./version.ts";

/** From its first answer until it has its kinds, and until it has installed its own programs: in pulls of an image. */
const kindsPulls = 10;
const programsPulls = 60;

const soonMs = 2_000;
const laterMs = 10_000;
const key = "rancher";

/** What Rancher does on the cluster it runs on, for as long as a pod of it is ready: itself first, then its clusters. */
export const rancherServer: Controller = {
  concerns: ({ object, kind }) => (isServer(object) || /(^|\.)cattle\.io$/.test(kind.group) ? [key] : []),
  run(_key, cluster) {
    const ages = cluster.index
      .inNamespace("v1", "Pod", rancherNamespace)
      .filter((pod) => isServer(pod) && hasCondition(pod, "Ready"))
      .map((pod) => cluster.clock.now() - sinceOf(pod, "Ready"));
    if (ages.length === 0) return undefined;
    const isSetUp = setUp(cluster, Math.max(...ages));
    if (!isServed(cluster.store, provisioned.apiVersion, provisioned.kind)) return soonMs;
    const waits = tendClusters(cluster);
    if (!isSetUp || waits.some((isSettled) => !isSettled)) return soonMs;
    return waits.length > 0 ? laterMs : undefined;
  },
};

const isServer = ({ kind, metadata }: KubeObject): boolean =>
  kind === "Pod" && metadata.namespace === rancherNamespace && metadata.labels?.["app"] === "rancher";

/** Everything it makes for itself. True when that is done. */
function setUp(cluster: Cluster, ageMs: number): boolean {
  const { store, times } = cluster;
  if (!ensureAuthority(store) || ageMs < kindsPulls * times.imagePullMs) return false;
  ensure(store, [...rancherKinds, ...rancherNamespaces], "rancher");
  ensure(store, [...firstSettings(store), adminUser], "rancher");
  keepSettings(cluster);
  if (ageMs < programsPulls * times.imagePullMs) return false;
  ensure(
    store,
    [...rancherPrograms, localCluster, { ...localCluster, ...provisioned, metadata: localPlace }],
    "rancher",
  );
  const isReady = ["rancher-webhook", "fleet-controller"].every((name) => isAvailable(cluster, name));
  const own = store.get({ ...managed, name: "local" });
  const seen = ["Connected", "Ready", "Provisioned"].map((type) => ({ type, is: isReady }));
  writeStatus(store, own, seen, { driver: "imported" });
  writeStatus(store, store.get({ ...provisioned, ...localPlace }), seen, {
    clusterName: "local",
    ready: isReady,
  });
  return isReady;
}

const localPlace = { name: "local", namespace: "fleet-local" };

const localCluster = {
  ...managed,
  metadata: { name: "local" },
  spec: { displayName: "local", internal: true, fleetWorkspaceName: "fleet-local" },
};

const adminUser = {
  apiVersion: "management.cattle.io/v3",
  kind: "User",
  metadata: { name: "user-admin", labels: { "authz.management.cattle.io/bootstrapping": "admin-user" } },
  ...{ username: "admin", displayName: "Default Admin", mustChangePassword: false },
};

/** What it reads at every start: the authority that was given, and which Rancher it is. */
function keepSettings({ store }: Cluster): void {
  const own = { cacerts: authorityOf(store), "server-version": rancherVersion(store) };
  for (const [name, value] of Object.entries(own))
    if (settingOf(store, name) !== value) store.patch({ ...settingKind, name }, "merge", { value });
}

const isAvailable = ({ store }: Cluster, name: string): boolean =>
  store
    .list({ apiVersion: "apps/v1", kind: "Deployment" })
    .some((deployment) => deployment.metadata.name === name && hasCondition(deployment, "Available"));

/** Every cluster but its own: whether there is nothing to wait for. */
function tendClusters(cluster: Cluster): boolean[] {
  const { store } = cluster;
  // With settings for a cluster that Rancher is to make itself, it is none that registers.
  const wanted = store
    .list({ ...provisioned, namespace: "fleet-default" })
    .filter((each) => dig(each, "spec", "rkeConfig") === undefined);
  const settled = wanted.map((each) => {
    if (each.metadata.deletionTimestamp !== undefined) {
      releaseCluster(cluster, each);
      return false;
    }
    const current = store.get(refOf(each));
    const id = admitCluster(store, current);
    return followCluster(cluster, store.get(refOf(each)), id);
  });
  for (const own of store.list(managed)) {
    if (own.metadata.deletionTimestamp !== undefined) removeCluster(cluster, own);
    else if (digText(own, "spec", "internal") !== "true") hold(store, own, managedFinalizers);
  }
  return settled;
}

/** A cluster that somebody deleted goes after the object Rancher made for it. */
function releaseCluster({ store }: Cluster, wanted: KubeObject): void {
  const id = digText(wanted, "status", "clusterName");
  const own = id === "" ? undefined : store.find({ ...managed, name: id });
  if (!own) letGo(store, wanted, [provisionedFinalizer]);
  else if (own.metadata.deletionTimestamp === undefined) store.delete(refOf(own));
}

/** That object goes when the cluster itself is clean, which only its agent can bring about. Without it, it stays. */
function removeCluster(manager: Cluster, own: KubeObject): void {
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
