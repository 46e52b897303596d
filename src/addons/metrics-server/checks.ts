import {
  type AddonDraft,
  type ClusterDraft,
  distributionName,
  type Problem,
  systemFacts,
} from "../../spec/index.ts";

/** Two of the same would take each other's objects. */
export function packagedTwice({ place }: AddonDraft, { cluster }: ClusterDraft): Problem[] {
  const { packaged, title } = systemFacts(cluster);
  if (!packaged?.brought.includes("metrics-server")) return [];
  return [
    {
      code: "SPEC_CHOOSE_ONE",
      what: `${title} brings metrics-server itself`,
      next: `Take the add-on out, or write ${distributionName(cluster)}: { disable: [metrics-server] }`,
      position: place(),
    },
  ];
}
