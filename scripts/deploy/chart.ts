import { controllerObjects } from "../../src/addons/slipway/manifests.ts";
import { monitoringObjects } from "../../src/addons/slipway/monitoring.ts";
import { slipwayVersion } from "../../src/addons/slipway/options.ts";
import { yamlText } from "../yaml-text.ts";

/** Places that helm fills in: what stands for them in an object, and what is written instead. */
const places = [
  ["NAMESPACE", "{{ .Release.Namespace }}"],
  ["IMAGE", "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"],
  ["replicas: 0", "replicas: {{ .Values.replicas }}"],
] as const;

const values = `# One leads, the others stand by.
replicas: 2
image:
  repository: registry.slipway.dev/slipway
  # Left out: the version of the chart.
  tag: ""
  # [{ name: registry }]
  pullSecrets: []
# Of the controller: [{ name: OTEL_EXPORTER_OTLP_ENDPOINT, value: "http://collector:4318" }]
env: []
# A ServiceMonitor and a PrometheusRule, for the Prometheus Operator.
monitoring:
  enabled: false
`;

/** The chart, made of the very objects of the plain YAML. Its kinds are those of deploy/crds, by a link. */
export function chartFiles(): Record<string, string> {
  return {
    "Chart.yaml": yamlText({
      ...{ apiVersion: "v2", name: "slipway", type: "application" },
      description: "A controller that keeps Kubernetes clusters on your own hypervisors as objects say",
      ...{ version: slipwayVersion, appVersion: slipwayVersion, kubeVersion: ">=1.30.0-0" },
    }),
    "values.yaml": values,
    "templates/controller.yaml": template(
      controllerObjects({ namespace: "NAMESPACE", image: "IMAGE", replicas: 0 }),
    ),
    "templates/monitoring.yaml": `{{- if .Values.monitoring.enabled }}\n${template(monitoringObjects("NAMESPACE"))}{{- end }}\n`,
  };
}

function template(objects: readonly object[]): string {
  // Placeholders of Prometheus are none of helm's.
  const text = objects
    .map(yamlText)
    .join("---\n")
    .replaceAll(/\{\{.*?\}\}/g, (place) => `{{ \`${place}\` }}`);
  const filled = places.reduce((all, [name, place]) => all.replaceAll(name, place), text);
  return filled
    .replace(
      /^( +)serviceAccountName: .*\n/m,
      (line, indent: string) =>
        `${line}${indent}{{- with .Values.image.pullSecrets }}\n${indent}imagePullSecrets: {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}{{- end }}\n`,
    )
    .replace(
      /^( +)args:\n.*\n/m,
      (lines, indent: string) =>
        `${lines}${indent}{{- with .Values.env }}\n${indent}env: {{- toYaml . | nindent ${indent.length + 2} }}\n${indent}{{- end }}\n`,
    );
}
