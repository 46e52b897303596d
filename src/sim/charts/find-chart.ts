import type { SimChart } from "./chart.ts";

/** A chart by where it is published: an OCI reference, or a repository and a name. */
export type ChartPlace = { oci: string } | { repo: string; chart: string };

/** All versions at a place, the newest first. */
export const chartsAt = (charts: readonly SimChart[], place: ChartPlace): SimChart[] =>
  charts.filter((chart) =>
    chart.sources.some((source) => {
      if ("oci" in source) return "oci" in place && source.oci === place.oci;
      return "repo" in place && source.repo === withoutSlash(place.repo) && chart.name === place.chart;
    }),
  );

export const withoutSlash = (url: string): string => url.replace(/\/+$/, "");
