import { type AddonInstallation, kindKnown, releasePart } from "../common/index.ts";

const kinds = [
  "podmonitors",
  "probes",
  "prometheuses",
  "prometheusrules",
  "scrapeconfigs",
  "servicemonitors",
];

/** The kinds of the Prometheus Operator: what others install may name them before it is there. */
export const installation: AddonInstallation = {
  parts: ({ addon, version }) => [
    releasePart(addon, {
      name: "prometheus-operator-crds",
      namespace: "kube-system",
      chart: { oci: "oci://ghcr.io/prometheus-community/charts/prometheus-operator-crds" },
      version,
      // Otherwise every monitor of the cluster would go with the chart.
      values: { crds: { annotations: { "helm.sh/resource-policy": "keep" } } },
    }),
  ],

  readiness: () => ({
    workloads: [],
    objects: kinds.map((plural) => kindKnown(`${plural}.monitoring.coreos.com`)),
  }),
};
