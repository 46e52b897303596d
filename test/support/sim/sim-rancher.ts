import { splitManifests } from "../../../src/clients/helm/index.ts";
import { siteWithAddons, standInCharts, standIns } from "../addons/stand-ins.ts";
import type { ClusterFault, ClusterFaults } from "../../../src/sim/cluster-faults.ts";
import { renderChart } from "../../../src/sim/helm/templates/render-chart.ts";
import { endpointsOf } from "../../../src/sim/kube/controllers/network/endpoints.ts";
import { cluster, conditionOf, service, until, withNetworkAndDns, workload } from "../sim-kube-cluster.ts";
import { dig, digList, digText } from "../../../src/sim/kube/store/object.ts";
import type { Reply } from "../../../src/sim/kube/api/request.ts";
import { proxyToService } from "../../../src/sim/kube/api/proxy-service.ts";
import { logKey, runtimeOf } from "../../../src/sim/kube/kubelet/runtime.ts";
import type { Site } from "../../../src/sim/kube/index.ts";
import { refOf, type KubeStore } from "../../../src/sim/kube/store/store.ts";

/** What the tests of Rancher share: a manager and a cluster beside it, in one site. */

export const hostname = "rancher.example.org";
export const doorAddress = "10.1.0.1";
export const authority = "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----";

export interface Pair {
  manager: KubeStore;
  apps: KubeStore;
  site: Site;
  /** Of the second one. */
  faults: ClusterFaults;
  managerFaults: ClusterFaults;
}

export function pair(faults: ClusterFault[] = []): Pair {
  const site = siteWithAddons();
  site.names.set(hostname, [doorAddress]);
  const times = { imagePullMs: 300, podStartMs: 200 };
  const manager = cluster({ site, subnet: "10.1.0", nodes: ["manager-1"], faults, times });
  const apps = cluster({ site, subnet: "10.2.0", nodes: ["apps-1"], faults, times });
  withNetworkAndDns(manager.store);
  withNetworkAndDns(apps.store);
  return {
    manager: manager.store,
    apps: apps.store,
    site,
    faults: apps.faults,
    managerFaults: manager.faults,
  };
}

/** An ingress controller on the address of the first node, as K3s brings one. */
export function openDoor(store: KubeStore): void {
  store.create(workload("Deployment", "traefik", {}, { replicas: 1 }));
  const door = service("traefik", 443);
  const made = store.create({ ...door, spec: { ...(door["spec"] as object), type: "LoadBalancer" } });
  const status = { loadBalancer: { ingress: [{ ip: doorAddress }] } };
  store.patch(refOf(made), "merge", { status }, { subresource: "status" });
}

const namespace = "cattle-system";

export function installRancher(
  store: KubeStore,
  version = "2.15.2",
  values: Record<string, unknown> = {},
): void {
  store.create({ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace } });
  store.create({
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: "tls-ca", namespace },
    stringData: { "cacerts.pem": authority },
  });
  for (const object of chartObjects(version, values)) store.apply(object);
}

export function upgradeRancher(store: KubeStore, version: string): void {
  for (const object of chartObjects(version, {})) store.apply(object, { isForced: true });
}

function chartObjects(version: string, values: Record<string, unknown>) {
  const chart = standInCharts.find((each) => each.name === "rancher" && each.version === version);
  if (!chart) throw new Error(`no chart of Rancher ${version}`);
  return renderChart({
    chart: {
      metadata: { name: "rancher", version, appVersion: `v${version}` },
      values: chart.values,
      templates: Object.entries(chart.templates),
      crds: [],
    },
    release: { name: "rancher", namespace, revision: 1, isInstall: true },
    values: {
      ...{ hostname, replicas: 1, privateCA: true, ingress: { tls: { source: "secret" } } },
      ...values,
    },
    kubeVersion: "v1.33.1",
    apiVersions: new Set(),
  }).objects;
}

const management = "management.cattle.io/v3";

/** Rancher as the add-on leaves it: itself ready, its address known. */
export async function readyManager(
  store: KubeStore,
  { version, values }: { version?: string; values?: Record<string, unknown> } = {},
): Promise<void> {
  openDoor(store);
  installRancher(store, version, values);
  await until(() => isReady(store));
  // Rancher wrote it first, as an empty one.
  const setting = { apiVersion: management, kind: "Setting", metadata: { name: "server-url" } };
  store.apply({ ...setting, value: `https://${hostname}` }, { isForced: true });
}

export const isReady = (store: KubeStore): boolean =>
  isKnown(store, "clusters.management.cattle.io") &&
  conditionOf(store, "Cluster", "local", "Ready", management)?.status === "True";

export const isKnown = (store: KubeStore, name: string): boolean =>
  store.find({
    ...{ apiVersion: "apiextensions.k8s.io/v1", kind: "CustomResourceDefinition", name },
  }) !== undefined;

export const wantedRef = {
  ...{ apiVersion: "provisioning.cattle.io/v1", kind: "Cluster" },
  ...{ namespace: "fleet-default", name: "apps" },
};

/** Asks Rancher to take a cluster in, and gives the id it gets. */
export async function ask(store: KubeStore, annotations: Record<string, string> = {}): Promise<string> {
  const { apiVersion, kind, ...place } = wantedRef;
  store.create({ apiVersion, kind, metadata: { ...place, annotations }, spec: {} });
  const id = () => digText(store.find(wantedRef), "status", "clusterName");
  await until(() => id() !== "" && tokenOf(store, id()) !== "");
  return id();
}

export const tokenObject = (store: KubeStore, id: string) =>
  store.find({
    ...{ apiVersion: management, kind: "ClusterRegistrationToken", namespace: id, name: "default-token" },
  });

export function tokenOf(store: KubeStore, id: string): string {
  const secret = store.find({
    ...{ apiVersion: "v1", kind: "Secret", namespace: id, name: "crt-token-default-token" },
  });
  return Buffer.from(digText(secret, "data", "token"), "base64").toString("utf8");
}

/** Whether somebody ready stands behind a service. */
export const isServed = (store: KubeStore, name: string): boolean =>
  endpointsOf(store, "kube-system", name).length > 0;

/** A GET through the API server, as somebody with its kubeconfig makes it. */
export const get = (store: KubeStore, path: string, faults: ClusterFaults): Reply | undefined =>
  proxyToService(
    store,
    {
      ...{ method: "GET", query: new URLSearchParams(), headers: {}, body: Buffer.alloc(0) },
      path: `/api/v1/namespaces/cattle-system/services/https:rancher:443/proxy${path}`,
      user: { name: "admin", groups: ["system:masters"] },
    },
    { faults, programs: standIns },
  );

/** Registers the second cluster with the first. Gives its id there. */
export async function register({ manager, apps, faults }: Pair): Promise<string> {
  const id = await ask(manager);
  const manifest = get(manager, `/v3/import/${tokenOf(manager, id)}_${id}.yaml`, faults);
  for (const object of splitManifests(String(manifest?.body))) apps.apply(object);
  return id;
}

export const managed = (store: KubeStore, id: string) =>
  store.find({ apiVersion: management, kind: "Cluster", name: id });

export const conditionsOf = (object: unknown): Record<string, string> =>
  Object.fromEntries(
    digList(object, "status", "conditions").map((item) => [digText(item, "type"), digText(item, "status")]),
  );

/** The agent's pod, and what it printed. */
export function agent(store: KubeStore): { reason: string; log: string } {
  const pod = store
    .list({ apiVersion: "v1", kind: "Pod", namespace, labels: "app=cattle-cluster-agent" })
    .at(-1);
  const state = digList(pod, "status", "containerStatuses")[0];
  return {
    reason: String(dig(state, "state", "waiting", "reason") ?? ""),
    log: runtimeOf(store).logs.get(logKey(pod?.metadata.uid, "cluster-register")) ?? "",
  };
}
