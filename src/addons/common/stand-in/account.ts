import { fullName, head, joined } from "../../../sim/charts/index.ts";

export const chartName = fullName();
export const chartLabels = {
  "app.kubernetes.io/name": "{{ .Chart.Name }}",
  "app.kubernetes.io/instance": "{{ .Release.Name }}",
};

/** The config with the account, unless one made elsewhere is named. */
export const accountSecret = joined(
  "{{- if not .Values.existingConfigSecret }}",
  head("v1", "Secret", chartName, { labels: chartLabels }),
  "type: Opaque",
  "stringData:\n  config.yaml: {{ toYaml .Values.config | quote }}",
  "{{- end }}",
);

const config = `- name: config
  secret:
    secretName: {{ if .Values.existingConfigSecret }}{{ .Values.existingConfigSecret }}{{ else }}${chartName}{{ end }}`;

export const withAccount = (text: string): string => joined(text, `      volumes:\n${indentVolumes(config)}`);

const indentVolumes = (text: string): string =>
  text
    .split("\n")
    .map((line) => `        ${line}`)
    .join("\n");
