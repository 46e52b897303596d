import { chooseVersion, findAddon, isTested, versionLike } from "../addons/index.ts";
import { isK3s, isTalos } from "../distribution-kinds.ts";
import type { ClusterDraft, FleetDraft } from "../draft.ts";
import type { Problem } from "../problem.ts";
import { addonDraft } from "./addon-place.ts";

/** Rancher takes some minors of Kubernetes only, in its own cluster and in those it manages. */
export const checkRancher = (fleet: FleetDraft): Problem[] =>
  fleet.clusters.flatMap((draft) => [...ownKubernetes(draft), ...managedKubernetes(fleet, draft)]);

/** Which Rancher a cluster runs, and the minors it takes; nothing when nobody knows yet. */
function rancherOf({ cluster }: ClusterDraft) {
  const addon = findAddon(cluster, "rancher");
  const version = addon?.version ?? chooseVersion("rancher", cluster.kubernetes);
  const known = version === undefined ? undefined : versionLike("rancher", version);
  return addon && known?.kubernetes ? { version: version ?? "", known, range: known.kubernetes } : undefined;
}

function ownKubernetes(draft: ClusterDraft): Problem[] {
  const rancher = rancherOf(draft);
  const addon = addonDraft(draft, "rancher");
  const { kubernetes } = draft.cluster;
  if (!rancher || !addon || isTested(rancher.known, kubernetes)) return [];
  const { version, range } = rancher;
  const isSaid = addon.written.options.version !== undefined;
  return [
    {
      code: "SPEC_VERSION_PAIR",
      what: `Rancher ${version} takes Kubernetes ${range.from} to ${range.to}, and the cluster has ${kubernetes}`,
      next: isSaid
        ? "Leave version out, and the one that fits is taken"
        : `Choose a Kubernetes from ${range.from} to ${range.to}`,
      position: isSaid ? addon.place("version") : addon.place(),
    },
  ];
}

function managedKubernetes({ clusters }: FleetDraft, draft: ClusterDraft): Problem[] {
  const { registerWith, kubernetes, name } = draft.cluster;
  const manager = clusters.find(({ cluster }) => cluster.name === registerWith?.cluster);
  const rancher = manager && rancherOf(manager);
  if (!registerWith || !rancher || isTested(rancher.known, kubernetes)) return [];
  const { from, to } = rancher.range;
  return [
    {
      code: "SPEC_VERSION_PAIR",
      what: `Rancher ${rancher.version} of "${registerWith.cluster}" manages Kubernetes ${from} to ${to}, and "${name}" has ${kubernetes}`,
      next: `Choose a Kubernetes from ${from} to ${to}, or another Rancher`,
      position: registerWith.at,
    },
  ];
}

/** Rancher is reached through an ingress, which somebody has to bring. */
export const rancherWarnings = ({ clusters }: FleetDraft): Problem[] =>
  clusters.flatMap((draft): Problem[] => {
    const addon = addonDraft(draft, "rancher");
    const { cluster } = draft;
    const isWithout =
      isTalos(cluster) || (isK3s(cluster) && cluster.distribution.settings.disable.includes("traefik"));
    const isBrought = cluster.addons.some(({ name }) => name === "chart" || name === "manifest");
    if (!addon || !isWithout || isBrought) return [];
    return [
      {
        code: "SPEC_NO_INGRESS",
        what: `Nothing leads to Rancher: "${cluster.name}" has no ingress controller`,
        next: isTalos(cluster)
          ? "Bring one as an add-on of your own: { chart: … }"
          : "Leave traefik in, or bring another one as an add-on of your own",
        position: addon.place(),
      },
    ];
  });
