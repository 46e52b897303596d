import {
  account,
  definition,
  documents,
  fullName,
  head,
  inVersions,
  joined,
  keptIf,
  service,
  workload,
} from "../../../sim/charts/index.ts";

const name = fullName();
const labels = {
  "app.kubernetes.io/name": "{{ .Chart.Name }}",
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
};
const group = "fluxcd.controlplane.io";
const annotations = keptIf("true");
const versions: [string, string][] = [
  ["0.58.1", "v0.58.1"],
  ["0.49.0", "v0.49.0"],
];

export const fluxOperator = inVersions(versions, {
  name: "flux-operator",
  description: "Stand-in for the Flux operator",
  kubeVersion: ">=1.22.0-0",
  values: { installCRDs: true, tolerations: [] },
  templates: {
    "crds.yaml": `{{- if .Values.installCRDs }}\n${documents(
      definition({ group, kind: "FluxInstance", plural: "fluxinstances", annotations }),
      definition({ group, kind: "FluxReport", plural: "fluxreports", annotations }),
      definition({ group, kind: "ResourceSet", plural: "resourcesets", annotations }),
      definition({
        group,
        kind: "ResourceSetInputProvider",
        plural: "resourcesetinputproviders",
        annotations,
      }),
    )}\n{{- end }}`,
    "account.yaml": account(name),
    "service.yaml": service(name, labels, 8080),
    "deployment.yaml": workload({
      kind: "Deployment",
      name,
      labels,
      replicas: "1",
      serviceAccount: name,
      tolerations: ".Values.tolerations",
      containers: [
        { name: "manager", image: "ghcr.io/controlplaneio-fluxcd/flux-operator:{{ .Chart.AppVersion }}" },
      ],
    }),
  },
  sources: [{ oci: "oci://ghcr.io/controlplaneio-fluxcd/charts/flux-operator" }],
});

export const fluxInstance = inVersions(versions, {
  name: "flux-instance",
  description: "Stand-in for a Flux instance",
  kubeVersion: ">=1.22.0-0",
  values: {
    instance: {
      distribution: { version: "2.x", registry: "ghcr.io/fluxcd" },
      components: ["source-controller", "kustomize-controller", "helm-controller", "notification-controller"],
      cluster: { type: "kubernetes", networkPolicy: true },
      sync: {},
    },
  },
  templates: {
    "instance.yaml": joined(
      head(`${group}/v1`, "FluxInstance", "flux", { labels }),
      "spec:",
      "  distribution:\n    {{- toYaml .Values.instance.distribution | nindent 4 }}",
      "  components:\n    {{- toYaml .Values.instance.components | nindent 4 }}",
      "  cluster:\n    {{- toYaml .Values.instance.cluster | nindent 4 }}",
      "  {{- if .Values.instance.sync.url }}\n  sync:\n    {{- toYaml .Values.instance.sync | nindent 4 }}\n  {{- end }}",
    ),
  },
  sources: [{ oci: "oci://ghcr.io/controlplaneio-fluxcd/charts/flux-instance" }],
});
