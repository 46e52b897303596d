import { gzipSync } from "node:zlib";
import { stringify } from "yaml";
import { writeTar } from "../../lib/index.ts";
import type { SimChart } from "./chart.ts";

/** The chart as `helm package` would write it; the same bytes every time. */
export function packChart(chart: SimChart): Buffer {
  const files = Object.entries(chartFiles(chart)).map(([file, text]) => ({
    name: `${chart.name}/${file}`,
    bytes: Buffer.from(text),
  }));
  return gzipSync(writeTar(files));
}

/** What lies in the chart's folder. */
export function chartFiles(chart: SimChart): Record<string, string> {
  const below = (folder: string, files: Record<string, string> = {}) =>
    Object.fromEntries(Object.entries(files).map(([file, text]) => [`${folder}/${file}`, text]));
  return {
    "Chart.yaml": stringify(chartMetadata(chart)),
    "values.yaml": stringify(chart.values),
    ...below("crds", chart.crds),
    ...below("templates", chart.templates),
  };
}

export const chartMetadata = (chart: SimChart) => ({
  apiVersion: "v2",
  name: chart.name,
  version: chart.version,
  appVersion: chart.appVersion,
  description: chart.description,
  type: "application",
  kubeVersion: chart.kubeVersion,
});
