import { standInCharts } from "./stand-ins.ts";
import type { SimChart } from "../../../src/sim/charts/index.ts";
import type { Cluster } from "../../../src/spec/index.ts";
import { fleetOf } from "../sim/rehearsal-site.ts";

/** One of each, as a cluster file names them. */
const asWritten = {
  cilium: "cilium: { loadBalancer: { pools: [10.14.0.200-10.14.0.220], announce: l2 } }",
  "nfs-csi": "nfs-csi: { server: 10.14.0.5, share: /volume1/k8s }",
  flux: 'flux: { url: "https://git.example.org/fleet.git", path: ./clusters/lab, credentials: { username: git, password: { env: T } } }',
  "cert-manager": "cert-manager",
  "metrics-server": "metrics-server",
  longhorn: "longhorn",
  "prometheus-crds": "prometheus-crds",
  "proxmox-ccm": "proxmox-ccm",
  "proxmox-csi": "proxmox-csi: { storageClasses: [{ name: fast, storage: local-lvm }] }",
  argocd: 'argocd: { repository: { url: "https://git.example.org/apps.git", path: apps } }',
  podinfo:
    'chart: { name: podinfo, namespace: web, chart: { oci: "oci://ghcr.io/example/charts/podinfo" }, version: 6.9.0 }',
  motd: "manifest: { name: motd, file: motd.yaml, namespace: motd }",
};

export type AddonCase = keyof typeof asWritten;
export const allAddonCases = Object.keys(asWritten) as AddonCase[];

/** A cluster with these add-ons, and those they bring along. */
export function clusterWith(cases: readonly AddonCase[]): Cluster {
  const { clusters } = fleetOf(`version: 1
hosts:
  hydra: { proxmox: { url: "https://10.14.0.1:8006", token: { id: "slipway@pve!main", secret: { env: T } } } }
clusters:
  lab:
    network: { cidr: 10.14.0.0/24, gateway: .254 }
    controlPlanes: { count: 1, memory: 4GiB, address: .10, vmid: 2000 }
    workers: { count: 2, memory: 4GiB, address: .20, vmid: 2001, dataDisks: [{ size: 20GiB, for: longhorn }] }
    addons:
${cases.map((name) => `      - ${asWritten[name]}`).join("\n")}
`);
  if (!clusters[0]) throw new Error("the file has a cluster");
  return clusters[0];
}

/** Kinds stay when their add-on goes, for others may use them, and so do namespaces of the user's own. */
const groups = "(cilium|gateway.networking.k8s|cert-manager|monitoring.coreos|fluxcd.controlplane|argoproj)";
export const isStaying = (name: string): boolean =>
  new RegExp(
    `(CustomResourceDefinition|APIService) \\S+\\.${groups}\\.(io|com)$|Namespace (web|motd)$|(web|motd)/(default|kube-root-ca.crt)$`,
  ).test(name);

/** The next patch: `1.20.2` after `1.20.1`. */
export const bumped = (version: string): string =>
  version.replace(/\d+$/, (patch) => String(Number(patch) + 1));

const podinfo: SimChart = {
  name: "podinfo",
  version: "6.9.0",
  appVersion: "6.9.0",
  description: "A chart of the user's own, with a hook before and a workload after",
  values: { replicas: 1 },
  templates: {
    "deployment.yaml": `apiVersion: apps/v1
kind: Deployment
metadata: { name: podinfo, namespace: {{ .Release.Namespace }} }
spec:
  replicas: {{ .Values.replicas }}
  selector: { matchLabels: { app: podinfo } }
  template:
    metadata: { labels: { app: podinfo } }
    spec: { containers: [{ name: podinfo, image: "ghcr.io/example/podinfo:{{ .Chart.AppVersion }}" }] }
`,
    "migrate.yaml": `apiVersion: batch/v1
kind: Job
metadata:
  name: migrate
  namespace: {{ .Release.Namespace }}
  annotations:
    helm.sh/hook: pre-install,pre-upgrade
    helm.sh/hook-delete-policy: before-hook-creation,hook-succeeded
spec:
  template:
    spec: { restartPolicy: Never, containers: [{ name: migrate, image: ghcr.io/example/podinfo }] }
`,
  },
  sources: [{ oci: "oci://ghcr.io/example/charts/podinfo" }],
};

const newest = [...standInCharts, podinfo].filter(
  (chart, index, all) => all.findIndex(({ name }) => name === chart.name) === index,
);

/** Each in the version that is usual, and in the next one. */
export const addonCharts: readonly SimChart[] = [
  ...newest,
  ...newest.map((chart) => ({ ...chart, version: bumped(chart.version) })),
];

/** Manifests of the user's own: a kind, one of that kind, and something plain. */
export const motdFile = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: greetings.example.org }
spec:
  group: example.org
  scope: Namespaced
  names: { kind: Greeting, plural: greetings, singular: greeting, listKind: GreetingList }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: example.org/v1
kind: Greeting
metadata: { name: hello }
spec: { text: good morning }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: motd }
data: { text: good morning }
`;
