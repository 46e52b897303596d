import type { StandIn } from "../../common/stand-in/index.ts";
import { definition, documents, inVersions } from "../../../sim/charts/index.ts";

const kinds: [kind: string, plural: string, version: string][] = [
  ["AlertmanagerConfig", "alertmanagerconfigs", "v1alpha1"],
  ["Alertmanager", "alertmanagers", "v1"],
  ["PodMonitor", "podmonitors", "v1"],
  ["Probe", "probes", "v1"],
  ["PrometheusAgent", "prometheusagents", "v1alpha1"],
  ["Prometheus", "prometheuses", "v1"],
  ["PrometheusRule", "prometheusrules", "v1"],
  ["ScrapeConfig", "scrapeconfigs", "v1alpha1"],
  ["ServiceMonitor", "servicemonitors", "v1"],
  ["ThanosRuler", "thanosrulers", "v1"],
];

const annotations =
  "  {{- with .Values.crds.annotations }}\n  annotations:\n    {{- toYaml . | nindent 4 }}\n  {{- end }}";

const prometheusOperatorCrds = inVersions([["31.0.1", "v0.93.1"]], {
  name: "prometheus-operator-crds",
  description: "Stand-in for the definitions of the Prometheus operator",
  kubeVersion: ">=1.16.0-0",
  values: { crds: { annotations: {} } },
  templates: {
    "crds.yaml": documents(
      ...kinds.map(([kind, plural, version]) =>
        definition({ group: "monitoring.coreos.com", kind, plural, versions: [version], annotations }),
      ),
    ),
  },
  sources: [
    { oci: "oci://ghcr.io/prometheus-community/charts/prometheus-operator-crds" },
    { repo: "https://prometheus-community.github.io/helm-charts" },
  ],
});

export const standIn: StandIn = { charts: prometheusOperatorCrds };
