import type { Cluster, Controller } from "../controllers/controller.ts";
import { hasCondition } from "../controllers/nodes.ts";
import { dig, digText, type KubeObject } from "../object.ts";
import { refOf } from "../store.ts";
import { sinceOf, writeStatus } from "./conditions.ts";
import { ensure, isServed } from "./operator.ts";
import { ensureAuthority } from "./rancher-authority.ts";
import {
  admitCluster,
  followCluster,
  hold,
  managed,
  managedFinalizers,
  provisioned,
} from "./rancher-clusters.ts";
import { rancherKinds, rancherNamespaces, rancherPrograms } from "./rancher-objects.ts";
import { releaseCluster, removeCluster } from "./rancher-removal.ts";
import { authorityOf, firstSettings, settingKind, settingOf } from "./rancher-settings.ts";
import { rancherNamespace, rancherVersion } from "./rancher-version.ts";

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
