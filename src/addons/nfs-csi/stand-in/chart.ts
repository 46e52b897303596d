import { account, documents, head, inVersions, joined, workload } from "../../../sim/charts/index.ts";

const named = (name: string) => ({ app: name, "app.kubernetes.io/name": "csi-driver-nfs" });
const image = "registry.k8s.io/sig-storage/nfsplugin:v{{ .Chart.AppVersion }}";

const storageClass = joined(
  "{{- if .Values.storageClass.create }}",
  head("storage.k8s.io/v1", "StorageClass", "{{ .Values.storageClass.name }}", { isClusterWide: true }),
  "  {{- with .Values.storageClass.annotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}",
  "provisioner: {{ .Values.driver.name }}",
  "{{- with .Values.storageClass.parameters }}\nparameters:\n  {{- toYaml . | nindent 2 }}\n{{- end }}",
  "reclaimPolicy: {{ .Values.storageClass.reclaimPolicy }}",
  "volumeBindingMode: {{ .Values.storageClass.volumeBindingMode }}",
  "{{- with .Values.storageClass.mountOptions }}\nmountOptions:\n  {{- toYaml . | nindent 2 }}\n{{- end }}",
  "{{- end }}",
);

export const csiDriverNfs = inVersions([["4.13.4", "4.13.4"]], {
  name: "csi-driver-nfs",
  description: "Stand-in for the NFS storage driver",
  values: {
    driver: { name: "nfs.csi.k8s.io" },
    kubeletDir: "/var/lib/kubelet",
    controller: { replicas: 1, runOnControlPlane: false, enableSnapshotter: true },
    externalSnapshotter: { enabled: false },
    storageClass: {
      create: false,
      name: "nfs-csi",
      annotations: {},
      parameters: {},
      reclaimPolicy: "Delete",
      volumeBindingMode: "Immediate",
      mountOptions: [],
    },
  },
  templates: {
    "accounts.yaml": documents(
      account("csi-nfs-controller-sa", "nfs-external-provisioner-role"),
      head("v1", "ServiceAccount", "csi-nfs-node-sa"),
    ),
    "csi-nfs-driverinfo.yaml": joined(
      head("storage.k8s.io/v1", "CSIDriver", "{{ .Values.driver.name }}", { isClusterWide: true }),
      "spec:\n  attachRequired: false\n  volumeLifecycleModes: [Persistent]\n  fsGroupPolicy: File",
    ),
    "csi-nfs-controller.yaml": workload({
      kind: "Deployment",
      name: "csi-nfs-controller",
      labels: named("csi-nfs-controller"),
      selector: { app: "csi-nfs-controller" },
      replicas: "{{ .Values.controller.replicas }}",
      strategy: "Recreate",
      serviceAccount: "csi-nfs-controller-sa",
      priority: "system-cluster-critical",
      isOnHostNetwork: true,
      toleratesAll: true,
      containers: [
        { name: "csi-provisioner", image: "registry.k8s.io/sig-storage/csi-provisioner:v6.1.0" },
        { name: "nfs", image },
      ],
    }),
    "csi-nfs-node.yaml": workload({
      kind: "DaemonSet",
      name: "csi-nfs-node",
      labels: named("csi-nfs-node"),
      selector: { app: "csi-nfs-node" },
      serviceAccount: "csi-nfs-node-sa",
      priority: "system-node-critical",
      isOnHostNetwork: true,
      toleratesAll: true,
      containers: [{ name: "nfs", image }],
    }),
    "storageclass.yaml": storageClass,
  },
  sources: [
    { repo: "https://kubernetes-csi.github.io/csi-driver-nfs" },
    { repo: "https://raw.githubusercontent.com/kubernetes-csi/csi-driver-nfs/master/charts" },
  ],
});
