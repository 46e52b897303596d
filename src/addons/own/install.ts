import { type AddonInstallation, type AddonPart, namespacePart, releasePart } from "../common/index.ts";
import type { OwnChartOptions, OwnManifestOptions } from "./options.ts";

/** A chart of the user's own. What it makes is watched by helm's own rules; there is no more to know. */
export const chartInstallation: AddonInstallation<OwnChartOptions> = {
  parts({ addon, version }) {
    const { namespace, podSecurity } = addon.options;
    return [
      ...(givenNamespaces.has(namespace)
        ? []
        : [{ ...namespacePart(namespace, podSecurity), isKept: true as const }]),
      releasePart(addon, {
        name: addon.id,
        namespace,
        chart: addon.chart ?? { path: "" },
        version,
        values: {},
      }),
    ];
  },
  readiness: () => ({ workloads: [] }),
};

/** Manifests of the user's own. */
export const manifestInstallation: AddonInstallation<OwnManifestOptions> = {
  parts({ addon }) {
    const { from, namespace } = addon.options;
    const bundle: AddonPart = {
      kind: "bundle",
      name: "manifests",
      from,
      namespace,
    };
    const isMade = namespace !== undefined && !givenNamespaces.has(namespace);
    return isMade ? [{ ...namespacePart(namespace), isKept: true as const }, bundle] : [bundle];
  },
  readiness: () => ({ workloads: [] }),
};

/** They are there, and nobody's to change. */
const givenNamespaces = new Set(["default", "kube-system", "kube-public", "kube-node-lease"]);
