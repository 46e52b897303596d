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
  type Workload,
} from "../../../sim/charts/index.ts";

const name = fullName(".Values.nameOverride");
const labels = (part: string) => ({
  "app.kubernetes.io/name": `{{ .Values.nameOverride }}-${part}`,
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
  "app.kubernetes.io/component": part,
  "app.kubernetes.io/part-of": "argocd",
});
const image = "quay.io/argoproj/argocd:{{ .Chart.AppVersion }}";

const part = (short: string, more: Partial<Workload> & { image?: string; values: string }): string =>
  workload({
    kind: more.kind ?? "Deployment",
    name: `${name}-${short}`,
    labels: labels(short),
    replicas: `{{ ${more.values}.replicas }}`,
    containers: [{ name: short, image: more.image ?? image }],
  });

const onlyIf = (place: string, text: string): string => `{{- if ${place} }}\n${text}\n{{- end }}`;

const annotations = keptIf(".Values.crds.keep");
const group = "argoproj.io";
const versions = ["v1alpha1"];

export const argoCd = inVersions(
  [
    ["10.7.2", "v3.5.2"],
    ["10.1.1", "v3.4.4"],
  ],
  {
    name: "argo-cd",
    description: "Stand-in for Argo CD",
    kubeVersion: ">=1.25.0-0",
    values: {
      nameOverride: "argocd",
      crds: { install: true, keep: true },
      configs: { cm: {}, params: {}, secret: { createSecret: true } },
      controller: { replicas: 1 },
      server: { replicas: 1 },
      repoServer: { replicas: 1 },
      redis: { replicas: 1 },
      applicationSet: { replicas: 1 },
      dex: { enabled: true, replicas: 1 },
      notifications: { enabled: true, replicas: 1 },
    },
    templates: {
      "crds.yaml": onlyIf(
        ".Values.crds.install",
        documents(
          definition({
            group,
            kind: "Application",
            plural: "applications",
            versions,
            annotations,
            hasStatus: false,
          }),
          definition({
            group,
            kind: "ApplicationSet",
            plural: "applicationsets",
            versions,
            annotations,
            hasStatus: false,
          }),
          definition({
            group,
            kind: "AppProject",
            plural: "appprojects",
            versions,
            annotations,
            hasStatus: false,
          }),
        ),
      ),
      "argocd-configs.yaml": documents(
        joined(
          head("v1", "ConfigMap", "argocd-cm"),
          'data:\n  admin.enabled: "true"',
          "  {{- with .Values.configs.cm }}\n  {{- toYaml . | nindent 2 }}\n  {{- end }}",
        ),
        joined(
          head("v1", "ConfigMap", "argocd-cmd-params-cm"),
          "data:\n  repo.server: argocd-repo-server:8081",
          "  {{- with .Values.configs.params }}\n  {{- toYaml . | nindent 2 }}\n  {{- end }}",
        ),
        joined(head("v1", "ConfigMap", "argocd-rbac-cm"), 'data:\n  policy.csv: ""'),
      ),
      "argocd-secret.yaml": onlyIf(
        ".Values.configs.secret.createSecret",
        joined(
          head("v1", "Secret", "argocd-secret", {
            labels: { "app.kubernetes.io/part-of": "argocd", "app.kubernetes.io/name": "argocd-secret" },
          }),
          "type: Opaque",
          "{{- if .Values.configs.secret.argocdServerAdminPassword }}",
          "data:\n  admin.password: {{ .Values.configs.secret.argocdServerAdminPassword | b64enc }}",
          "{{- end }}",
        ),
      ),
      "accounts.yaml": documents(account(`${name}-application-controller`), account(`${name}-server`)),
      "application-controller.yaml": part("application-controller", {
        kind: "StatefulSet",
        values: ".Values.controller",
      }),
      "repo-server.yaml": documents(
        part("repo-server", { values: ".Values.repoServer" }),
        service(`${name}-repo-server`, labels("repo-server"), 8081),
      ),
      "server.yaml": documents(
        part("server", { values: ".Values.server" }),
        service(`${name}-server`, labels("server"), 80, 8080),
      ),
      "redis.yaml": documents(
        part("redis", { values: ".Values.redis", image: "docker.io/library/redis:8.2-alpine" }),
        service(`${name}-redis`, labels("redis"), 6379),
      ),
      "applicationset-controller.yaml": part("applicationset-controller", {
        values: ".Values.applicationSet",
      }),
      "dex-server.yaml": onlyIf(
        ".Values.dex.enabled",
        part("dex-server", { values: ".Values.dex", image: "ghcr.io/dexidp/dex:v2.45.0" }),
      ),
      "notifications-controller.yaml": onlyIf(
        ".Values.notifications.enabled",
        part("notifications-controller", { values: ".Values.notifications" }),
      ),
    },
    sources: [
      { oci: "oci://ghcr.io/argoproj/argo-helm/argo-cd" },
      { repo: "https://argoproj.github.io/argo-helm" },
    ],
  },
);
