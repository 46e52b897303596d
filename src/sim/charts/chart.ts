/** A small stand-in for a real chart: a few objects with the names, kinds and labels of the real ones. */
export interface SimChart {
  name: string;
  version: string;
  appVersion: string;
  description: string;
  /** A range, as in Chart.yaml. */
  kubeVersion?: string;
  /** The chart's own values. */
  values: Record<string, unknown>;
  /** By file name below `templates/`; see sim/helm for what of the template language may stand in them. */
  templates: Record<string, string>;
  /** By file name below `crds/`: made once, never changed or removed. */
  crds?: Record<string, string>;
  /** Where the real one is published. */
  sources: ({ oci: string } | { repo: string })[];
}

/** The same chart in several versions, the newest first. */
export const inVersions = (
  versions: [version: string, appVersion: string][],
  chart: Omit<SimChart, "version" | "appVersion">,
): SimChart[] => versions.map(([version, appVersion]) => ({ ...chart, version, appVersion }));
