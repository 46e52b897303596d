import type { KubeStore, Manifest } from "../../kube/index.ts";
import type { KubernetesConfig } from "../config/kubernetes-config.ts";
import type { TalosNode } from "../node.ts";
import { staticApps, type StaticApp } from "./static-pods.ts";

/** What a control plane writes into a new cluster: Talos's bootstrap manifests. What exists stays as it is. */
export function createClusterObjects(node: TalosNode, store: KubeStore): void {
  const { kubernetes } = node.config ?? {};
  if (kubernetes === undefined) return;
  for (const manifest of bootstrapManifests(kubernetes)) createOnce(store, manifest);
}

/** The pods a control plane runs by itself, as they appear in the API once its Node exists; each start makes them anew. */
export function writeStaticPods(node: TalosNode, store: KubeStore): void {
  for (const app of staticApps) {
    const pod = staticPod(node, app);
    const { name, namespace, annotations } = pod.metadata;
    createOnce(store, {
      ...pod,
      metadata: {
        ...pod.metadata,
        annotations: {
          "kubernetes.io/config.mirror": app,
          "kubernetes.io/config.source": "file",
          ...annotations,
        },
      },
      status: staticPodStatus(node, app),
    });
    const { containers } = pod.spec;
    store.patch({ apiVersion: "v1", kind: "Pod", name, namespace }, "merge", {
      metadata: { annotations },
      spec: { containers },
    });
  }
}

/** As Talos hands it to the kubelet, but for the name, which that makes longer. */
export function staticPod(node: TalosNode, app: StaticApp) {
  const version = node.config === undefined ? "" : appVersion(node.config.kubernetes, app);
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: {
      name: `${app}-${node.hostname()}`,
      namespace: "kube-system",
      labels: { tier: "control-plane", "k8s-app": app, component: app },
      annotations: node.staticPods?.annotations(app) ?? {},
    },
    spec: {
      nodeName: node.hostname(),
      hostNetwork: true,
      priorityClassName: "system-cluster-critical",
      tolerations: everywhere,
      containers: [{ name: app, image: `registry.k8s.io/${app}:v${version}` }],
    },
  };
}

const appVersion = (config: KubernetesConfig, app: StaticApp): string =>
  ({
    "kube-apiserver": config.apiServerVersion,
    "kube-controller-manager": config.controllerManagerVersion,
    "kube-scheduler": config.schedulerVersion,
  })[app];

/** Running and ready. */
export function staticPodStatus(node: TalosNode, app: string) {
  const since = new Date(node.bootedAt).toISOString().replace(/\.\d+Z$/, "Z");
  const conditions = ["Initialized", "Ready", "ContainersReady", "PodScheduled"].map((type) => ({
    type,
    status: "True",
    lastTransitionTime: since,
  }));
  return {
    phase: "Running",
    hostIP: node.address(),
    podIP: node.address(),
    startTime: since,
    conditions,
    containerStatuses: [
      { name: app, ready: true, started: true, restartCount: 0, state: { running: { startedAt: since } } },
    ],
  };
}

const everywhere = [{ operator: "Exists" }];

/** As the node keeps them for whoever applies them again. */
export const bootstrapManifests = (config: KubernetesConfig): Manifest[] => [
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: {
      name: "kubernetes",
      namespace: "default",
      labels: { component: "apiserver", provider: "kubernetes" },
    },
    spec: { clusterIP: serviceAddress(config, 1), ports: [{ name: "https", port: 443, targetPort: 6443 }] },
  },
  ...(config.cni === "flannel" ? [flannel()] : []),
  ...(config.hasProxy ? [kubeProxy(config)] : []),
  ...(config.hasCoreDns ? [coreDns(), coreDnsService(config)] : []),
];

const kubeProxy = (config: KubernetesConfig): Manifest =>
  daemonSet("kube-proxy", { "k8s-app": "kube-proxy", tier: "node" }, [
    { name: "kube-proxy", image: `registry.k8s.io/kube-proxy:v${config.proxyVersion}` },
  ]);

const flannel = (): Manifest =>
  daemonSet(
    "kube-flannel",
    { "k8s-app": "flannel", tier: "node" },
    [{ name: "kube-flannel", image: "ghcr.io/siderolabs/flannel:v0.28.8" }],
    [{ name: "cni", hostPath: { path: "/etc/cni/net.d" } }],
  );

const daemonSet = (
  name: string,
  labels: Record<string, string>,
  containers: { name: string; image: string }[],
  volumes: unknown[] = [],
): Manifest => ({
  apiVersion: "apps/v1",
  kind: "DaemonSet",
  metadata: { name, namespace: "kube-system", labels },
  spec: {
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { hostNetwork: true, tolerations: everywhere, containers, volumes },
    },
  },
});

const coreDns = (): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name: "coredns", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
  spec: {
    replicas: 2,
    selector: { matchLabels: { "k8s-app": "kube-dns" } },
    template: {
      metadata: { labels: { "k8s-app": "kube-dns" } },
      spec: {
        tolerations: [
          { key: "node-role.kubernetes.io/control-plane", operator: "Exists", effect: "NoSchedule" },
        ],
        containers: [{ name: "coredns", image: "registry.k8s.io/coredns/coredns:v1.14.6" }],
      },
    },
  },
});

const coreDnsService = (config: KubernetesConfig): Manifest => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "kube-dns", namespace: "kube-system", labels: { "k8s-app": "kube-dns" } },
  spec: {
    clusterIP: serviceAddress(config, 10),
    selector: { "k8s-app": "kube-dns" },
    ports: [{ name: "dns", port: 53, protocol: "UDP" }],
  },
});

const serviceAddress = (config: KubernetesConfig, last: number): string =>
  (config.serviceSubnet.split("/")[0] ?? "").replace(/\.\d+$/, `.${last}`);

function createOnce(store: KubeStore, manifest: Manifest): void {
  const { name = "", namespace } = manifest.metadata ?? {};
  const ref = { apiVersion: manifest.apiVersion, kind: manifest.kind, name, namespace };
  if (store.find(ref) === undefined) store.create(manifest, { fieldManager: "talos" });
}
