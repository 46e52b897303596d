/**
 * Small stand-ins for the charts of add-ons, packed as real charts, and a site that serves them as an HTTP repository
 * and as an OCI registry, so that the real helm can fetch them without a network.
 */
export { inVersions, type SimChart } from "./chart.ts";
export { chartsAt, withoutSlash, type ChartPlace } from "./find-chart.ts";
export { chartFiles, chartMetadata, packChart } from "./pack-chart.ts";
export { definition, keptIf } from "./definition.ts";
export { account, documents, fullName, head, joined, service, workload, type Workload } from "./pieces.ts";
export { startChartSite, type ChartSiteOptions, type SimChartSite } from "./site.ts";
