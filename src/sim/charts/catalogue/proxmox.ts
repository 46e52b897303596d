import { inVersions } from "../chart.ts";
import { account, fullName, head, joined, workload } from "../pieces.ts";

const name = fullName();
const labels = {
  "app.kubernetes.io/name": "{{ .Chart.Name }}",
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
};
const withPart = (part: string) => ({ ...labels, "app.kubernetes.io/component": part });

/** The config with the account, unless one made elsewhere is named. */
const secret = joined(
  "{{- if not .Values.existingConfigSecret }}",
  head("v1", "Secret", name, { labels }),
  "type: Opaque",
  "stringData:\n  config.yaml: {{ toYaml .Values.config | quote }}",
  "{{- end }}",
);

const config = `- name: config
  secret:
    secretName: {{ if .Values.existingConfigSecret }}{{ .Values.existingConfigSecret }}{{ else }}${name}{{ end }}`;

const mounted = (text: string): string => joined(text, `      volumes:\n${indentVolumes(config)}`);

const indentVolumes = (text: string): string =>
  text
    .split("\n")
    .map((line) => `        ${line}`)
    .join("\n");

const controller = (kind: "Deployment" | "DaemonSet") =>
  mounted(
    workload({
      kind,
      name,
      labels,
      ...(kind === "Deployment" && { replicas: "{{ .Values.replicaCount }}" }),
      ...(kind === "DaemonSet" && { isOnHostNetwork: true }),
      serviceAccount: name,
      priority: "system-cluster-critical",
      tolerations: ".Values.tolerations",
      nodeSelector: ".Values.nodeSelector",
      podAnnotations: ".Values.podAnnotations",
      containers: [
        {
          name: "proxmox-cloud-controller-manager",
          image: "ghcr.io/sergelogvinov/proxmox-cloud-controller-manager:{{ .Chart.AppVersion }}",
          more: 'args:\n  - --cloud-provider=proxmox\n  - --controllers={{ join "," .Values.enabledControllers }}',
        },
      ],
    }),
  );

export const proxmoxCloudControllerManager = inVersions([["0.2.28", "v0.13.1"]], {
  name: "proxmox-cloud-controller-manager",
  description: "Stand-in for the Proxmox cloud controller",
  values: {
    replicaCount: 1,
    useDaemonSet: false,
    enabledControllers: ["cloud-node", "cloud-node-lifecycle"],
    existingConfigSecret: "",
    existingConfigSecretKey: "config.yaml",
    config: { clusters: [] },
    nodeSelector: {},
    podAnnotations: {},
    tolerations: [
      { key: "node-role.kubernetes.io/control-plane", operator: "Exists", effect: "NoSchedule" },
      { key: "node.cloudprovider.kubernetes.io/uninitialized", operator: "Exists", effect: "NoSchedule" },
    ],
  },
  templates: {
    "secrets.yaml": secret,
    "account.yaml": account(name, `system:${name}`),
    "deployment.yaml": `{{- if .Values.useDaemonSet }}\n${controller("DaemonSet")}\n{{- else }}\n${controller("Deployment")}\n{{- end }}`,
  },
  sources: [{ oci: "oci://ghcr.io/sergelogvinov/charts/proxmox-cloud-controller-manager" }],
});

const storageClasses = joined(
  "{{- range .Values.storageClass }}",
  "---",
  head("storage.k8s.io/v1", "StorageClass", "{{ .name }}", { isClusterWide: true }),
  "  {{- with .annotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}",
  "provisioner: csi.proxmox.sinextra.dev",
  "allowVolumeExpansion: true",
  'volumeBindingMode: {{ default "WaitForFirstConsumer" .volumeBindingMode }}',
  'reclaimPolicy: {{ default "Delete" .reclaimPolicy }}',
  "parameters:\n  storage: {{ .storage | quote }}",
  '  csi.storage.k8s.io/fstype: {{ default "ext4" .fstype }}',
  "  {{- if .cache }}\n  cache: {{ .cache }}\n  {{- end }}",
  '  {{- if .ssd }}\n  ssd: "true"\n  {{- end }}',
  "  {{- with .extraParameters }}\n  {{- toYaml . | nindent 2 }}\n  {{- end }}",
  "{{- end }}",
);

export const proxmoxCsiPlugin = inVersions([["0.5.9", "v0.19.1"]], {
  name: "proxmox-csi-plugin",
  description: "Stand-in for the Proxmox storage driver",
  values: {
    createNamespace: false,
    replicaCount: 1,
    existingConfigSecret: "",
    existingConfigSecretKey: "config.yaml",
    config: { clusters: [] },
    storageClass: [],
    controller: { podAnnotations: {} },
    node: { nodeSelector: {} },
    tolerations: [{ key: "node-role.kubernetes.io/control-plane", operator: "Exists", effect: "NoSchedule" }],
  },
  templates: {
    "namespace.yaml": joined(
      "{{- if .Values.createNamespace }}",
      head("v1", "Namespace", "{{ .Release.Namespace }}", {
        isClusterWide: true,
        labels: { "pod-security.kubernetes.io/enforce": "privileged" },
      }),
      "{{- end }}",
    ),
    "secrets.yaml": secret,
    "account.yaml": account(`${name}-controller`),
    "csidriver.yaml": joined(
      head("storage.k8s.io/v1", "CSIDriver", "csi.proxmox.sinextra.dev", { isClusterWide: true }),
      "spec:\n  attachRequired: true\n  podInfoOnMount: true\n  storageCapacity: true\n  volumeLifecycleModes: [Persistent]",
    ),
    "controller-deployment.yaml": mounted(
      workload({
        kind: "Deployment",
        name: `${name}-controller`,
        labels: withPart("controller"),
        replicas: "{{ .Values.replicaCount }}",
        serviceAccount: `${name}-controller`,
        priority: "system-cluster-critical",
        tolerations: ".Values.tolerations",
        podAnnotations: ".Values.controller.podAnnotations",
        containers: [
          {
            name: "proxmox-csi-plugin-controller",
            image: "ghcr.io/sergelogvinov/proxmox-csi-controller:{{ .Chart.AppVersion }}",
          },
        ],
      }),
    ),
    "node-deployment.yaml": workload({
      kind: "DaemonSet",
      name: `${name}-node`,
      labels: withPart("node"),
      priority: "system-node-critical",
      toleratesAll: true,
      nodeSelector: ".Values.node.nodeSelector",
      containers: [
        {
          name: "proxmox-csi-plugin-node",
          image: "ghcr.io/sergelogvinov/proxmox-csi-node:{{ .Chart.AppVersion }}",
        },
      ],
    }),
    "storageclass.yaml": storageClasses,
  },
  sources: [{ oci: "oci://ghcr.io/sergelogvinov/charts/proxmox-csi-plugin" }],
});
