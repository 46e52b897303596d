import { account, fullName, inVersions, joined, workload } from "../../../sim/charts/index.ts";

const name = fullName();
const labels = {
  "app.kubernetes.io/name": "{{ .Chart.Name }}",
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
};

export const kubeletCsrApprover = inVersions([["1.2.14", "v1.2.14"]], {
  name: "kubelet-csr-approver",
  description: "Stand-in for the approver of kubelet serving certificates",
  values: {
    replicas: 2,
    providerRegex: "",
    providerIpPrefixes: [],
    bypassDnsResolution: false,
    maxExpirationSeconds: "",
    tolerations: [{ key: "node-role.kubernetes.io/control-plane", operator: "Exists", effect: "NoSchedule" }],
  },
  templates: {
    "account.yaml": account(name),
    "deployment.yaml": workload({
      kind: "Deployment",
      name,
      labels,
      replicas: "{{ .Values.replicas }}",
      serviceAccount: name,
      tolerations: ".Values.tolerations",
      containers: [
        {
          name: "kubelet-csr-approver",
          image: "ghcr.io/postfinance/kubelet-csr-approver:{{ .Chart.AppVersion }}",
          more: joined(
            "env:",
            "  {{- if .Values.providerRegex }}\n  - name: PROVIDER_REGEX\n    value: {{ .Values.providerRegex | quote }}\n  {{- end }}",
            '  - name: PROVIDER_IP_PREFIXES\n    value: {{ join "," .Values.providerIpPrefixes | quote }}',
            "  - name: BYPASS_DNS_RESOLUTION\n    value: {{ .Values.bypassDnsResolution | quote }}",
          ),
        },
      ],
    }),
  },
  sources: [{ repo: "https://postfinance.github.io/kubelet-csr-approver" }],
});
