import { type AddonInstallation, kindKnown, namespacePart, notYet, objectsPart } from "../common/index.ts";
import { customResources } from "./gen/custom-resources.ts";
import { controllerName, controllerObjects } from "./manifests.ts";
import { monitoringObjects } from "./monitoring.ts";
import type { SlipwayOptions } from "./options.ts";

const namespace = "slipway-system";
const leases = { apiVersion: "coordination.k8s.io/v1", kind: "Lease" };
const kinds = customResources.map(({ metadata }) => metadata.name);

/** Slipway's own controller: clusters of a fleet, kept as objects of this one say. */
export const installation: AddonInstallation<SlipwayOptions> = {
  parts({ addon, names }) {
    return [
      namespacePart(namespace, "restricted"),
      // Every cluster of the fleet would lose its object with them.
      { ...objectsPart("kinds", customResources), isKept: true },
      {
        ...objectsPart("controller", controllerObjects({ ...addon.options, namespace })),
        awaits: kinds.map(kindKnown),
      },
      ...(names.has("prometheus-crds") ? [objectsPart("monitoring", monitoringObjects(namespace))] : []),
    ];
  },

  readiness: () => ({ workloads: [{ kind: "Deployment", namespace, name: controllerName }] }),

  async prove(kube, _input, { signal }) {
    const lease = await kube.get({ ...leases, namespace, name: controllerName }, signal);
    const { holderIdentity = "" } = (lease?.["spec"] ?? {}) as { holderIdentity?: string };
    return holderIdentity === ""
      ? notYet("no controller leads yet")
      : { done: true, value: `${holderIdentity} leads` };
  },
};
