import {
  type AddonDraft,
  chooseVersion,
  type ClusterDraft,
  type FleetDraft,
  isTested,
  type Problem,
  systemFacts,
  versionLike,
} from "../../spec/index.ts";
import type { RancherOptions, WrittenRancher } from "./options.ts";
import { rancherVersions } from "./versions.ts";

type RancherDraft = AddonDraft<WrittenRancher, RancherOptions>;

/** Rancher takes some minors of Kubernetes only, in its own cluster and in those it manages. */
export const checkRancher = (own: RancherDraft, draft: ClusterDraft, fleet: FleetDraft): Problem[] => [
  ...ownKubernetes(own, draft),
  ...managedKubernetes(own, draft, fleet),
];

/** Which Rancher a cluster runs, and the minors it takes; nothing when nobody knows yet. */
function rancherOf({ written }: RancherDraft, { cluster }: ClusterDraft) {
  const version = written.version ?? chooseVersion(rancherVersions, cluster.kubernetes) ?? "";
  const known = versionLike(rancherVersions, version);
  return known?.kubernetes ? { version, known, range: known.kubernetes } : undefined;
}

function ownKubernetes(own: RancherDraft, draft: ClusterDraft): Problem[] {
  const rancher = rancherOf(own, draft);
  const { kubernetes } = draft.cluster;
  if (!rancher || isTested(rancher.known, kubernetes)) return [];
  const { version, range } = rancher;
  const isSaid = own.written.version !== undefined;
  return [
    {
      code: "SPEC_VERSION_PAIR",
      what: `Rancher ${version} takes Kubernetes ${range.from} to ${range.to}, and the cluster has ${kubernetes}`,
      next: isSaid
        ? "Leave version out, and the one that fits is taken"
        : `Choose a Kubernetes from ${range.from} to ${range.to}`,
      position: isSaid ? own.place("version") : own.place(),
    },
  ];
}

function managedKubernetes(own: RancherDraft, manager: ClusterDraft, { clusters }: FleetDraft): Problem[] {
  const rancher = rancherOf(own, manager);
  if (!rancher) return [];
  const { from, to } = rancher.range;
  return clusters.flatMap(({ cluster: { registerWith, kubernetes, name } }): Problem[] => {
    if (registerWith?.cluster !== manager.cluster.name || isTested(rancher.known, kubernetes)) return [];
    return [
      {
        code: "SPEC_VERSION_PAIR",
        what: `Rancher ${rancher.version} of "${registerWith.cluster}" manages Kubernetes ${from} to ${to}, and "${name}" has ${kubernetes}`,
        next: `Choose a Kubernetes from ${from} to ${to}, or another Rancher`,
        position: registerWith.at,
      },
    ];
  });
}

/** Rancher is reached through an ingress, which somebody has to bring. */
export function rancherWarnings({ place }: RancherDraft, { cluster }: ClusterDraft): Problem[] {
  const { packaged } = systemFacts(cluster);
  const isWithout = packaged && !packaged.brought.includes("traefik");
  const isBrought = cluster.addons.some(({ facts }) => facts.isOwn);
  if (!isWithout || isBrought) return [];
  return [
    {
      code: "SPEC_NO_INGRESS",
      what: `Nothing leads to Rancher: "${cluster.name}" has no ingress controller`,
      next: packaged.parts.includes("traefik")
        ? "Leave traefik in, or bring another one as an add-on of your own"
        : "Bring one as an add-on of your own: { chart: … }",
      position: place(),
    },
  ];
}
