import {
  account,
  definition,
  documents,
  head,
  inVersions,
  joined,
  service,
  workload,
} from "../../../sim/charts/index.ts";

const group = "longhorn.io";
const versions = ["v1beta2"];
const managerImage = "longhornio/longhorn-manager:{{ .Chart.AppVersion }}";

/** The real chart hands the class to its manager, which makes it; here it is made by the chart. */
const storageClass = joined(
  head("storage.k8s.io/v1", "StorageClass", "longhorn", { isClusterWide: true }),
  "  annotations:\n    storageclass.kubernetes.io/is-default-class: {{ .Values.persistence.defaultClass | quote }}",
  "provisioner: driver.longhorn.io",
  "allowVolumeExpansion: true",
  "reclaimPolicy: {{ .Values.persistence.reclaimPolicy | quote }}",
  "volumeBindingMode: Immediate",
  "parameters:",
  "  numberOfReplicas: {{ .Values.persistence.defaultClassReplicaCount | quote }}",
  "  dataEngine: {{ .Values.persistence.dataEngine | quote }}",
);

const settings = joined(
  head("v1", "ConfigMap", "longhorn-default-setting"),
  "data:\n  default-setting.yaml: |-",
  "    {{- if .Values.defaultSettings.defaultDataPath }}\n    default-data-path: {{ .Values.defaultSettings.defaultDataPath }}\n    {{- end }}",
  "    {{- if .Values.defaultSettings.defaultReplicaCount }}\n    default-replica-count: {{ .Values.defaultSettings.defaultReplicaCount }}\n    {{- end }}",
  "    deleting-confirmation-flag: {{ .Values.defaultSettings.deletingConfirmationFlag | default false }}",
);

/** Asks for the data to be given up; the real one fails without the confirmation. */
const uninstallJob = joined(
  head("batch/v1", "Job", "longhorn-uninstall", {
    annotations: {
      '"helm.sh/hook"': "pre-delete",
      '"helm.sh/hook-delete-policy"': "before-hook-creation,hook-succeeded",
    },
  }),
  "spec:\n  activeDeadlineSeconds: 900\n  backoffLimit: 1\n  template:\n    metadata:\n      name: longhorn-uninstall",
  "    spec:\n      restartPolicy: Never\n      serviceAccountName: longhorn-service-account",
  `      containers:\n        - name: longhorn-uninstall\n          image: ${managerImage}\n          command: [longhorn-manager, uninstall, --force]`,
);

export const longhorn = inVersions(
  [
    ["1.12.1", "v1.12.1"],
    ["1.11.3", "v1.11.3"],
  ],
  {
    name: "longhorn",
    description: "Stand-in for Longhorn: manager, driver deployer, UI and its definitions",
    kubeVersion: ">=1.25.0-0",
    values: {
      persistence: {
        defaultClass: true,
        defaultClassReplicaCount: 3,
        reclaimPolicy: "Delete",
        dataEngine: "v1",
      },
      defaultSettings: {},
      longhornUI: { replicas: 2 },
      preUpgradeChecker: { jobEnabled: true },
      longhornManager: { tolerations: [] },
    },
    templates: {
      "crds.yaml": documents(
        definition({ group, kind: "Volume", plural: "volumes", versions }),
        definition({ group, kind: "Node", plural: "nodes", versions }),
        definition({ group, kind: "Setting", plural: "settings", versions }),
        definition({ group, kind: "Replica", plural: "replicas", versions }),
        definition({ group, kind: "Engine", plural: "engines", versions }),
      ),
      "account.yaml": account("longhorn-service-account", "longhorn-role"),
      "default-setting.yaml": settings,
      "daemonset-sa.yaml": documents(
        workload({
          kind: "DaemonSet",
          name: "longhorn-manager",
          labels: { app: "longhorn-manager", "app.kubernetes.io/name": "longhorn" },
          selector: { app: "longhorn-manager" },
          serviceAccount: "longhorn-service-account",
          tolerations: ".Values.longhornManager.tolerations",
          containers: [
            { name: "longhorn-manager", image: managerImage, more: "securityContext:\n  privileged: true" },
          ],
        }),
        service("longhorn-backend", { app: "longhorn-manager" }, 9500),
      ),
      "deployment-driver.yaml": workload({
        kind: "Deployment",
        name: "longhorn-driver-deployer",
        labels: { app: "longhorn-driver-deployer", "app.kubernetes.io/name": "longhorn" },
        selector: { app: "longhorn-driver-deployer" },
        replicas: "1",
        serviceAccount: "longhorn-service-account",
        containers: [{ name: "longhorn-driver-deployer", image: managerImage }],
      }),
      "deployment-ui.yaml": documents(
        workload({
          kind: "Deployment",
          name: "longhorn-ui",
          labels: { app: "longhorn-ui", "app.kubernetes.io/name": "longhorn" },
          selector: { app: "longhorn-ui" },
          replicas: "{{ .Values.longhornUI.replicas }}",
          containers: [{ name: "longhorn-ui", image: "longhornio/longhorn-ui:{{ .Chart.AppVersion }}" }],
        }),
        service("longhorn-frontend", { app: "longhorn-ui" }, 80, 8000),
      ),
      "storageclass.yaml": storageClass,
      "uninstall-job.yaml": uninstallJob,
    },
    sources: [{ repo: "https://charts.longhorn.io" }],
  },
);
