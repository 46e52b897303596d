import {
  documents,
  fullName,
  head,
  inVersions,
  joined,
  type SimChart,
  workload,
} from "../../../sim/charts/index.ts";

const name = fullName();
const labels = {
  app: name,
  chart: "rancher-{{ .Chart.Version }}",
  heritage: "{{ .Release.Service }}",
  release: "{{ .Release.Name }}",
};
const selector = { app: name };

/** Only the makers of its certificate know an authority that agents could pin. */
const hasAuthority = 'or .Values.privateCA (eq .Values.ingress.tls.source "rancher")';

const container = joined(
  'imagePullPolicy: {{ default "IfNotPresent" .Values.rancherImagePullPolicy }}',
  "ports:\n- containerPort: 80\n  protocol: TCP\n- containerPort: 6666\n  protocol: TCP",
  "args:",
  `{{- if not (${hasAuthority}) }}\n- "--no-cacerts"\n{{- end }}`,
  '- "--http-listen-port=80"\n- "--https-listen-port=443"\n- "--add-local=true"',
  "env:",
  "- name: CATTLE_NAMESPACE\n  value: {{ .Release.Namespace }}",
  `- name: CATTLE_PEER_SERVICE\n  value: ${name}`,
  "{{- if .Values.agentTLSMode }}\n- name: CATTLE_AGENT_TLS_MODE\n  value: {{ .Values.agentTLSMode | quote }}\n{{- end }}",
  "{{- if .Values.bootstrapPassword }}\n- name: CATTLE_BOOTSTRAP_PASSWORD\n  valueFrom:\n    secretKeyRef:\n      name: bootstrap-secret\n      key: bootstrapPassword\n{{- end }}",
  "{{- with .Values.extraEnv }}\n{{- toYaml . | nindent 10 }}\n{{- end }}",
  probe("startupProbe", "/healthz"),
  probe("livenessProbe", "/healthz"),
  probe("readinessProbe", "/healthz"),
  "{{- if .Values.privateCA }}\nvolumeMounts:\n- mountPath: /etc/rancher/ssl/cacerts.pem\n  name: tls-ca-volume\n  subPath: cacerts.pem\n  readOnly: true\n{{- end }}",
);

function probe(kind: string, path: string): string {
  const fields = ["timeoutSeconds", "periodSeconds", "failureThreshold"].map(
    (field) => `  ${field}: {{ .Values.${kind}.${field} }}`,
  );
  return joined(`${kind}:`, `  httpGet:\n    path: ${path}\n    port: 80`, ...fields);
}

const deployment = joined(
  workload({
    kind: "Deployment",
    name,
    labels,
    selector,
    replicas: "{{ .Values.replicas }}",
    serviceAccount: name,
    containers: [
      {
        name: "{{ .Chart.Name }}",
        image: "{{ .Values.rancherImage }}:{{ default .Chart.AppVersion .Values.rancherImageTag }}",
        more: container,
      },
    ],
  }),
  "{{- if .Values.privateCA }}\n      volumes:\n      - name: tls-ca-volume\n        secret:\n          defaultMode: 0400\n          secretName: tls-ca\n{{- end }}",
);

const service = joined(
  head("v1", "Service", name, { labels }),
  "spec:\n  ports:",
  "    - port: 80\n      targetPort: 80\n      protocol: TCP\n      name: http",
  "    - port: 443\n      targetPort: 444\n      protocol: TCP\n      name: https-internal",
  `  selector:\n    app: ${name}`,
);

const ingress = joined(
  "{{- if .Values.ingress.enabled }}",
  head("networking.k8s.io/v1", "Ingress", name, { labels }),
  "  annotations:",
  '{{- if eq .Values.ingress.tls.source "rancher" }}',
  `    cert-manager.io/issuer: ${name}\n    cert-manager.io/issuer-kind: Issuer`,
  "{{- end }}",
  '    nginx.ingress.kubernetes.io/proxy-connect-timeout: "30"',
  "spec:",
  "{{- if .Values.ingress.ingressClassName }}\n  ingressClassName: {{ .Values.ingress.ingressClassName }}\n{{- end }}",
  "  rules:\n    - host: {{ .Values.hostname }}\n      http:\n        paths:",
  `          - path: /\n            pathType: Prefix\n            backend:\n              service:\n                name: ${name}\n                port:\n                  number: 80`,
  "  tls:\n    - hosts:\n        - {{ .Values.hostname }}\n      secretName: {{ .Values.ingress.tls.secretName }}",
  "{{- end }}",
);

const issuer = joined(
  '{{- if eq .Values.ingress.tls.source "rancher" }}',
  head("cert-manager.io/v1", "Issuer", name, { labels }),
  "spec:\n  ca:\n    secretName: tls-rancher",
  "{{- end }}",
);

const bootstrapSecret = joined(
  "{{- if .Values.bootstrapPassword }}",
  head("v1", "Secret", "bootstrap-secret", { annotations: { '"helm.sh/resource-policy"': "keep" } }),
  "type: Opaque\ndata:\n  bootstrapPassword: {{ .Values.bootstrapPassword | b64enc | quote }}",
  "{{- end }}",
);

const account = documents(
  head("v1", "ServiceAccount", name, { labels }),
  joined(
    head("rbac.authorization.k8s.io/v1", "ClusterRoleBinding", name, { isClusterWide: true, labels }),
    `subjects:\n  - kind: ServiceAccount\n    name: ${name}\n    namespace: {{ .Release.Namespace }}`,
    "roleRef:\n  kind: ClusterRole\n  name: cluster-admin\n  apiGroup: rbac.authorization.k8s.io",
  ),
);

const usualProbe = { timeoutSeconds: 5, periodSeconds: 30, failureThreshold: 5 };

const chart: Omit<SimChart, "version" | "appVersion" | "kubeVersion"> = {
  name: "rancher",
  description: "Stand-in for Rancher: its server, behind an Ingress",
  values: {
    replicas: 3,
    bootstrapPassword: "",
    rancherImage: "rancher/rancher",
    privateCA: false,
    agentTLSMode: "",
    tls: "ingress",
    ingress: {
      enabled: true,
      ingressClassName: "",
      tls: { source: "rancher", secretName: "tls-rancher-ingress" },
    },
    extraEnv: [],
    startupProbe: { timeoutSeconds: 5, periodSeconds: 10, failureThreshold: 12 },
    livenessProbe: usualProbe,
    readinessProbe: usualProbe,
  },
  templates: {
    "bootstrap-secret.yaml": bootstrapSecret,
    "deployment.yaml": deployment,
    "ingress.yaml": ingress,
    "issuer-rancher.yaml": issuer,
    "service.yaml": service,
    "serviceAccount.yaml": account,
  },
  sources: ["latest", "stable"].map((channel) => ({
    repo: `https://releases.rancher.com/server-charts/${channel}`,
  })),
};

/** The first Kubernetes that helm refuses, by version. */
const limits: [version: string, below: string][] = [
  ["2.15.2", "1.37"],
  ["2.14.4", "1.36"],
  ["2.13.8", "1.35"],
  ["2.12.12", "1.34"],
];

export const rancher: SimChart[] = limits.flatMap(([version, below]) =>
  inVersions([[version, `v${version}`]], { ...chart, kubeVersion: `< ${below}.0-0` }),
);
