import type { AddonDefinition } from "../../addons/index.ts";
import type { ReleasePart } from "../../addons/common/index.ts";
import { installAddons } from "../../addons/steps/index.ts";
import type { SimChart } from "../../sim/charts/index.ts";
import type { StandIn } from "../../sim/index.ts";
import type { ChartSource, Cluster, Fleet } from "../../spec/index.ts";
import { chartName } from "./charts-from-site.ts";

/** A stand-in for each chart the fleet asks for, where it asks for it and in the version it asks for. */
export async function rehearsalCharts(
  fleet: Fleet,
  definitions: readonly AddonDefinition[],
  standIns: readonly StandIn[],
): Promise<SimChart[]> {
  const charts = standIns.flatMap((standIn) => standIn.charts ?? []);
  const releases = await Promise.all(fleet.clusters.map((cluster) => releasesOf(cluster, definitions)));
  return releases.flat().map(({ chart, version }) => {
    const name = chartName(chart);
    const known = charts.find((each) => each.name === name) ?? unknownChart(name);
    return { ...known, version, sources: [sourceOf(chart)] };
  });
}

async function releasesOf(cluster: Cluster, definitions: readonly AddonDefinition[]): Promise<ReleasePart[]> {
  const installed = await installAddons(cluster, definitions);
  const names = new Set(installed.map(({ addon }) => addon.name));
  return installed
    .flatMap(({ addon, installation, version }) => installation.parts({ addon, cluster, version, names }))
    .filter((part) => part.kind === "release");
}

const sourceOf = (chart: ChartSource): SimChart["sources"][number] => {
  if ("repository" in chart) return { repo: chart.repository.replace(/\/+$/, "") };
  return { oci: "oci" in chart ? chart.oci : `oci://charts.rehearsal/${chartName(chart)}` };
};

/** What is in a chart of the user's own is not known: one workload stands for it. */
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
