import { account, head, inVersions, joined, workload } from "../../../sim/charts/index.ts";
import {
  accountSecret,
  chartLabels as labels,
  chartName as name,
  withAccount,
} from "../../common/stand-in/index.ts";

const withPart = (part: string) => ({ ...labels, "app.kubernetes.io/component": part });

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
    "secrets.yaml": accountSecret,
    "account.yaml": account(`${name}-controller`),
    "csidriver.yaml": joined(
      head("storage.k8s.io/v1", "CSIDriver", "csi.proxmox.sinextra.dev", { isClusterWide: true }),
      "spec:\n  attachRequired: true\n  podInfoOnMount: true\n  storageCapacity: true\n  volumeLifecycleModes: [Persistent]",
    ),
    "controller-deployment.yaml": withAccount(
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
