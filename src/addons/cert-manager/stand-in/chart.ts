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
const labels = (part: string) => ({
  "app.kubernetes.io/name": part,
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
  "app.kubernetes.io/component": part,
});
const image = (program: string) => `quay.io/jetstack/cert-manager-${program}:{{ .Chart.AppVersion }}`;

const annotations = keptIf(".Values.crds.keep");
const group = "cert-manager.io";

const definitions = documents(
  definition({ group, kind: "Certificate", plural: "certificates", annotations }),
  definition({ group, kind: "CertificateRequest", plural: "certificaterequests", annotations }),
  definition({ group, kind: "Issuer", plural: "issuers", annotations }),
  definition({ group, kind: "ClusterIssuer", plural: "clusterissuers", annotations, isClusterWide: true }),
  definition({ group: `acme.${group}`, kind: "Order", plural: "orders", annotations }),
  definition({ group: `acme.${group}`, kind: "Challenge", plural: "challenges", annotations }),
);

const startupCheck = joined(
  "{{- if .Values.startupapicheck.enabled }}",
  head("batch/v1", "Job", `${name}-startupapicheck`, {
    labels: labels("startupapicheck"),
    annotations: {
      "helm.sh/hook": "post-install",
      "helm.sh/hook-weight": '"1"',
      "helm.sh/hook-delete-policy": "before-hook-creation,hook-succeeded",
    },
  }),
  "spec:\n  backoffLimit: 4\n  template:\n    spec:\n      restartPolicy: OnFailure",
  `      containers:\n        - name: cert-manager-startupapicheck\n          image: ${image("startupapicheck")}\n          args: [check, api, --wait=1m]`,
  "{{- end }}",
);

const webhook = joined(
  head("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration", `${name}-webhook`, {
    isClusterWide: true,
    labels: labels("webhook"),
  }),
  "webhooks:",
  "  - name: webhook.cert-manager.io",
  "    admissionReviewVersions: [v1]\n    sideEffects: None\n    failurePolicy: Fail",
  "    rules:\n      - apiGroups: [cert-manager.io, acme.cert-manager.io]\n        apiVersions: [v1]\n        operations: [CREATE, UPDATE]\n        resources: ['*/*']",
  `    clientConfig:\n      service:\n        name: ${name}-webhook\n        namespace: {{ .Release.Namespace }}\n        path: /validate`,
);

export const certManager = inVersions([["v1.21.1", "v1.21.1"]], {
  name: "cert-manager",
  description: "Stand-in for cert-manager",
  kubeVersion: ">= 1.22.0-0",
  values: {
    crds: { enabled: false, keep: true },
    replicaCount: 1,
    webhook: { replicaCount: 1 },
    cainjector: { enabled: true, replicaCount: 1 },
    startupapicheck: { enabled: true },
  },
  templates: {
    "crds.yaml": `{{- if .Values.crds.enabled }}\n${definitions}\n{{- end }}`,
    "account.yaml": account(name),
    "deployment.yaml": workload({
      kind: "Deployment",
      name,
      labels: labels("controller"),
      replicas: "{{ .Values.replicaCount }}",
      serviceAccount: name,
      containers: [{ name: "cert-manager-controller", image: image("controller") }],
    }),
    "cainjector-deployment.yaml": `{{- if .Values.cainjector.enabled }}\n${workload({
      kind: "Deployment",
      name: `${name}-cainjector`,
      labels: labels("cainjector"),
      replicas: "{{ .Values.cainjector.replicaCount }}",
      containers: [{ name: "cert-manager-cainjector", image: image("cainjector") }],
    })}\n{{- end }}`,
    "webhook-deployment.yaml": documents(
      workload({
        kind: "Deployment",
        name: `${name}-webhook`,
        labels: labels("webhook"),
        replicas: "{{ .Values.webhook.replicaCount }}",
        containers: [{ name: "cert-manager-webhook", image: image("webhook") }],
      }),
      service(`${name}-webhook`, labels("webhook"), 443, 10250),
    ),
    "webhook-validating-webhook.yaml": webhook,
    "startupapicheck-job.yaml": startupCheck,
  },
  sources: [{ oci: "oci://quay.io/jetstack/charts/cert-manager" }, { repo: "https://charts.jetstack.io" }],
});
