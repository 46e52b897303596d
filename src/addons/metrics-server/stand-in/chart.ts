import { account, fullName, head, inVersions, joined, service, workload } from "../../../sim/charts/index.ts";

const name = fullName();
const labels = {
  "app.kubernetes.io/name": "{{ .Chart.Name }}",
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
};

export const metricsServer = inVersions(
  [
    ["3.14.0", "0.9.0"],
    ["3.13.1", "0.8.1"],
  ],
  {
    name: "metrics-server",
    description: "Stand-in for metrics-server",
    values: {
      replicas: 1,
      args: [],
      tolerations: [],
      defaultArgs: ["--cert-dir=/tmp", "--kubelet-use-node-status-port", "--metric-resolution=15s"],
    },
    templates: {
      "account.yaml": account(name, `system:${name}`),
      "service.yaml": service(name, labels, 443, 10250),
      "deployment.yaml": workload({
        kind: "Deployment",
        name,
        labels,
        replicas: "{{ .Values.replicas }}",
        serviceAccount: name,
        priority: "system-cluster-critical",
        tolerations: ".Values.tolerations",
        containers: [
          {
            name: "metrics-server",
            image: "registry.k8s.io/metrics-server/metrics-server:v{{ .Chart.AppVersion }}",
            more: joined(
              "args:",
              "  - --secure-port=10250",
              "  {{- range .Values.defaultArgs }}\n  - {{ . }}\n  {{- end }}",
              "  {{- range .Values.args }}\n  - {{ . }}\n  {{- end }}",
            ),
          },
        ],
      }),
      "apiservice.yaml": joined(
        head("apiregistration.k8s.io/v1", "APIService", "v1beta1.metrics.k8s.io", {
          isClusterWide: true,
          labels,
        }),
        "spec:\n  group: metrics.k8s.io\n  version: v1beta1\n  groupPriorityMinimum: 100\n  versionPriority: 100",
        `  insecureSkipTLSVerify: true\n  service:\n    name: ${name}\n    namespace: {{ .Release.Namespace }}\n    port: 443`,
      ),
    },
    sources: [{ repo: "https://kubernetes-sigs.github.io/metrics-server" }],
  },
);
