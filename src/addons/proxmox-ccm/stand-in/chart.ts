import { account, inVersions, workload } from "../../../sim/charts/index.ts";
import {
  accountSecret,
  chartLabels as labels,
  chartName as name,
  withAccount,
} from "../../common/stand-in/index.ts";

const controller = (kind: "Deployment" | "DaemonSet") =>
  withAccount(
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
    "secrets.yaml": accountSecret,
    "account.yaml": account(name, `system:${name}`),
    "deployment.yaml": `{{- if .Values.useDaemonSet }}\n${controller("DaemonSet")}\n{{- else }}\n${controller("Deployment")}\n{{- end }}`,
  },
  sources: [{ oci: "oci://ghcr.io/sergelogvinov/charts/proxmox-cloud-controller-manager" }],
});
