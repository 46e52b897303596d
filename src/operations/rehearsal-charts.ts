import { resolveAddons, type ReleasePart } from "../addons/index.ts";
import { standInCharts, type SimChart } from "../sim/charts/index.ts";
import type { ChartSource, Cluster, Fleet } from "../spec/index.ts";
import { chartName } from "./charts-from-site.ts";

/** A stand-in for each chart the fleet asks for, where it asks for it and in the version it asks for. */
export const rehearsalCharts = (fleet: Fleet): SimChart[] =>
  fleet.clusters.flatMap(releasesOf).map(({ chart, version }) => {
    const name = chartName(chart);
    const known = standInCharts.find((each) => each.name === name) ?? unknownChart(name);
    return { ...known, version, sources: [sourceOf(chart)] };
  });

function releasesOf(cluster: Cluster): ReleasePart[] {
  const resolved = resolveAddons(cluster);
  const names = new Set(resolved.map(({ addon }) => addon.name));
  return resolved
    .flatMap(({ addon, definition, version }) => definition.parts({ addon, cluster, version, names }))
    .filter((part) => part.kind === "release");
}

const sourceOf = (chart: ChartSource): SimChart["sources"][number] => {
  if ("repository" in chart) return { repo: chart.repository.replace(/\/+$/, "") };
  return { oci: "oci" in chart ? chart.oci : `oci://charts.rehearsal/${chartName(chart)}` };
};

/** Nobody knows what is in a chart of the user's own: one workload stands for it. */
const unknownChart = (name: string): SimChart => ({
  name,
  version: "0.0.0",
  appVersion: "0.0.0",
  description: "stands for a chart that a rehearsal does not fetch",
  values: {},
  templates: { "deployment.yaml": standInDeployment },
  sources: [],
});

const standInDeployment = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}
  namespace: {{ .Release.Namespace }}
spec:
  replicas: 1
  selector:
    matchLabels:
      app.kubernetes.io/instance: {{ .Release.Name }}
  template:
    metadata:
      labels:
        app.kubernetes.io/instance: {{ .Release.Name }}
    spec:
      containers:
        - name: main
          image: registry.rehearsal/main:latest
`;
