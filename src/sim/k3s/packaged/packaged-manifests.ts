import { definitionOf, workloadOf, type Manifest } from "../../kube/index.ts";

export interface PackageSettings {
  clusterDns: string;
  clusterDomain: string;
}

const here = "kube-system";

/** The kinds that K3s adds. */
export const definitions = (): Manifest[] => [
  definitionOf("k3s.cattle.io", "v1", "Addon", "addons", "Namespaced"),
  definitionOf("k3s.cattle.io", "v1", "ETCDSnapshotFile", "etcdsnapshotfiles", "Cluster"),
  definitionOf("helm.cattle.io", "v1", "HelmChart", "helmcharts", "Namespaced"),
  definitionOf("helm.cattle.io", "v1", "HelmChartConfig", "helmchartconfigs", "Namespaced"),
];

const tolerations = [
  { key: "CriticalAddonsOnly", operator: "Exists" },
  { key: "node-role.kubernetes.io/control-plane", operator: "Exists", effect: "NoSchedule" },
];

const deployment = (
  name: string,
  labels: Record<string, string>,
  container: Record<string, unknown>,
): Manifest => ({
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace: here, labels },
  spec: {
    replicas: 1,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: { serviceAccountName: name, tolerations, containers: [{ name, ...container }] },
    },
  },
});

const account = (name: string): Manifest => ({
  apiVersion: "v1",
  kind: "ServiceAccount",
  metadata: { name, namespace: here },
});

export const coreDns = ({ clusterDns, clusterDomain }: PackageSettings): Manifest[] => [
  account("coredns"),
  {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "coredns", namespace: here },
    data: {
      Corefile: `.:53 {\n    errors\n    kubernetes ${clusterDomain} in-addr.arpa ip6.arpa\n    hosts /etc/coredns/NodeHosts {\n      fallthrough\n    }\n    import /etc/coredns/custom/*.override\n    forward . /etc/resolv.conf\n}\nimport /etc/coredns/custom/*.server\n`,
    },
  },
  deployment("coredns", { "k8s-app": "kube-dns" }, { image: "rancher/mirrored-coredns-coredns:1.14.6" }),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "kube-dns", namespace: here, labels: { "k8s-app": "kube-dns" } },
    spec: {
      clusterIP: clusterDns,
      selector: { "k8s-app": "kube-dns" },
      ports: [
        { name: "dns", port: 53, protocol: "UDP" },
        { name: "dns-tcp", port: 53, protocol: "TCP" },
      ],
    },
  },
];

export const localStorage = (): Manifest[] => [
  account("local-path-provisioner"),
  deployment(
    "local-path-provisioner",
    { app: "local-path-provisioner" },
    {
      image: "rancher/local-path-provisioner:v0.0.37",
      env: [{ name: "PROVISIONER_NAME", value: "rancher.io/local-path" }],
    },
  ),
  {
    apiVersion: "storage.k8s.io/v1",
    kind: "StorageClass",
    metadata: {
      name: "local-path",
      annotations: { "storageclass.kubernetes.io/is-default-class": "true" },
    },
    ...{ provisioner: "rancher.io/local-path", reclaimPolicy: "Delete" },
    volumeBindingMode: "WaitForFirstConsumer",
  },
];

export const metricsServer = (): Manifest[] => [
  account("metrics-server"),
  deployment(
    "metrics-server",
    { "k8s-app": "metrics-server" },
    { image: "rancher/mirrored-metrics-server:v0.9.0", ports: [{ containerPort: 10250, name: "https" }] },
  ),
  {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: "metrics-server", namespace: here, labels: { "k8s-app": "metrics-server" } },
    spec: {
      selector: { "k8s-app": "metrics-server" },
      ports: [{ name: "https", port: 443, targetPort: "https" }],
    },
  },
  {
    apiVersion: "apiregistration.k8s.io/v1",
    kind: "APIService",
    metadata: { name: "v1beta1.metrics.k8s.io" },
    spec: {
      ...{ group: "metrics.k8s.io", version: "v1beta1", insecureSkipTLSVerify: true },
      ...{ groupPriorityMinimum: 100, versionPriority: 100 },
      service: { name: "metrics-server", namespace: here },
    },
  },
];

const chart = (name: string): Manifest => ({
  apiVersion: "helm.cattle.io/v1",
  kind: "HelmChart",
  metadata: { name, namespace: here },
  spec: { chart: `https://%{KUBERNETES_API}%/static/charts/${name}-40.0.0.tgz` },
});

export const traefikCharts = (): Manifest[] => [chart("traefik-crd"), chart("traefik")];

/** What is there once the chart of that name is installed. */
export const chartContents: Record<string, () => Manifest[]> = {
  "traefik-crd": () => [
    definitionOf("traefik.io", "v1alpha1", "IngressRoute", "ingressroutes", "Namespaced"),
    definitionOf("traefik.io", "v1alpha1", "Middleware", "middlewares", "Namespaced"),
  ],
  traefik: () => [
    workloadOf("Deployment", { name: "traefik", namespace: here }, "rancher/mirrored-library-traefik:3.7.8"),
    {
      apiVersion: "networking.k8s.io/v1",
      kind: "IngressClass",
      metadata: {
        name: "traefik",
        annotations: { "ingressclass.kubernetes.io/is-default-class": "true" },
      },
      spec: { controller: "traefik.io/ingress-controller" },
    },
    {
      apiVersion: "v1",
      kind: "Service",
      metadata: { name: "traefik", namespace: here, labels: { app: "traefik" } },
      spec: {
        type: "LoadBalancer",
        selector: { app: "traefik" },
        ports: [
          { name: "web", port: 80, targetPort: "web" },
          { name: "websecure", port: 443, targetPort: "websecure" },
        ],
      },
    },
  ],
};
