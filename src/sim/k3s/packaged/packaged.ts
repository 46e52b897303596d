import { ensure, refOf, type Controller, type KubeStore, type Manifest } from "../../kube/index.ts";
import { helmCharts } from "./helm-charts.ts";
import type { Life } from "../life.ts";
import {
  coreDns,
  definitions,
  localStorage,
  metricsServer,
  traefikCharts,
  type PackageSettings,
} from "./packaged-manifests.ts";
import { serviceLb } from "./service-lb.ts";

/** What K3s brings into every cluster, by the word that leaves it out. */
const packages: Record<string, (settings: PackageSettings) => Manifest[]> = {
  coredns: coreDns,
  "local-storage": localStorage,
  "metrics-server": metricsServer,
  traefik: traefikCharts,
};

/** Makes what is not there yet, and removes what is disabled. */
export function installPackaged({ settings, journal }: Life, store: KubeStore): void {
  const serviceCidr = settings.text("service-cidr") ?? "10.43.0.0/16";
  const clusterDns = settings.text("cluster-dns") ?? serviceCidr.replace(/\d+\/\d+.*$/, "10");
  const clusterDomain = settings.text("cluster-domain") ?? "cluster.local";
  const disabled = settings.list("disable");
  ensure(store, [...definitions(), apiService(serviceCidr)], "k3s");
  for (const [name, manifestsOf] of Object.entries(packages)) {
    const manifests = manifestsOf({ clusterDns, clusterDomain });
    if (disabled.includes(name)) {
      for (const manifest of manifests) removeOne(store, manifest);
      continue;
    }
    journal.info(`Writing manifest: /var/lib/rancher/k3s/server/manifests/${name}.yaml`);
    ensure(store, [...manifests, addon(name)], "deploy@k3s");
  }
}

/** Disabled means removed, not only left alone. */
function removeOne(store: KubeStore, manifest: Manifest): void {
  const ref = refOf({ ...manifest, metadata: manifest.metadata ?? {} });
  if (store.find(ref) !== undefined) store.delete(ref);
}

const addon = (name: string): Manifest => ({
  apiVersion: "k3s.cattle.io/v1",
  kind: "Addon",
  metadata: { name, namespace: "kube-system" },
  spec: { source: `/var/lib/rancher/k3s/server/manifests/${name}.yaml` },
});

const apiService = (serviceCidr: string): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: {
    ...{ name: "kubernetes", namespace: "default" },
    labels: { component: "apiserver", provider: "kubernetes" },
  },
  spec: {
    clusterIP: serviceCidr.replace(/\d+\/\d+.*$/, "1"),
    ports: [{ name: "https", port: 443, targetPort: 6443 }],
  },
});

/** What goes on in a K3s cluster beside the usual: charts become workloads, services get the addresses of nodes. */
export const packagedControllers = (options: { hasServiceLb: boolean }): Controller[] => [
  helmCharts,
  ...(options.hasServiceLb ? [serviceLb] : []),
];
