import path from "node:path";
import type { Addon, ChartSource, Fleet } from "../../spec/index.ts";

/** Charts on this machine's disk are not rendered in a rehearsal: every chart comes from a simulated site. */
export const withChartsFromSite = (fleet: Fleet): Fleet => ({
  ...fleet,
  clusters: fleet.clusters.map(({ charts: _folder, ...cluster }) => ({
    ...cluster,
    addons: cluster.addons.map(fromSite),
  })),
});

const fromSite = (addon: Addon): Addon =>
  addon.chart && "path" in addon.chart
    ? { ...addon, chart: { oci: `oci://charts.rehearsal/${chartName(addon.chart)}` } }
    : addon;

/** What a chart is called, whatever it comes from. */
export const chartName = (chart: ChartSource): string => {
  if ("repository" in chart) return chart.name;
  const place = "oci" in chart ? chart.oci : chart.path;
  return path.basename(place).replace(/(-v?\d+\.\d+\.\d+.*)?\.tgz$/, "");
};
