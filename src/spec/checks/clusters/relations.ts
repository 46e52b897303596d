import { addonWith } from "../../addons/index.ts";
import { hasKubernetes } from "../../model/distribution-kinds.ts";
import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import { adviseName } from "../../schema/fields/one-of.ts";
import type { Problem } from "../../source/problem.ts";
import type { Path } from "../../source/positions.ts";

/** Clusters that know each other: they exist, none waits for itself, and who manages others runs Rancher. */
export function checkRelations(fleet: FleetDraft): Problem[] {
  return fleet.clusters.flatMap((draft) => [
    ...strangers(fleet, draft),
    ...circles(fleet, draft),
    ...withoutRancher(fleet, draft),
  ]);
}

interface Named {
  name: string;
  place: Path;
}

function namedBy({ cluster, document, path }: ClusterDraft): Named[] {
  const { dependsOn = [], registerWith } = cluster;
  const isList = document.mapKeys([...path, "registerWith"]).length > 0;
  return [
    ...dependsOn.map((name) => ({ name, place: [...path, "dependsOn"] })),
    ...(registerWith
      ? [{ name: registerWith.cluster, place: [...path, "registerWith", ...(isList ? ["cluster"] : [])] }]
      : []),
  ];
}

/** A file with mistakes elsewhere may hold the one that is missed. */
function strangers({ clusters, isWhole }: FleetDraft, draft: ClusterDraft): Problem[] {
  const known = clusters.map(({ cluster }) => cluster.name);
  if (!isWhole) return [];
  return namedBy(draft)
    .filter(({ name }) => !known.includes(name))
    .map(({ name, place }) => ({
      code: "SPEC_UNKNOWN_CLUSTER",
      what: `Cluster "${name}" is not described in this file`,
      next: adviseName(
        name,
        known.filter((each) => each !== draft.cluster.name),
      ),
      position: draft.document.locate(place),
    }));
}

function circles({ clusters }: FleetDraft, draft: ClusterDraft): Problem[] {
  const waitsFor = (name: string): string[] =>
    clusters
      .filter(({ cluster }) => cluster.name === name)
      .flatMap((other) => namedBy(other).map((named) => named.name));
  const leadsTo = (from: string, to: string, seen = new Set<string>()): boolean =>
    from === to || (!seen.has(from) && waitsFor(from).some((next) => leadsTo(next, to, seen.add(from))));
  return namedBy(draft)
    .filter(({ name }) => leadsTo(name, draft.cluster.name))
    .slice(0, 1)
    .map(({ name, place }) => ({
      code: "SPEC_CLUSTER_CIRCLE",
      what:
        name === draft.cluster.name
          ? `Cluster "${name}" waits for itself`
          : `"${draft.cluster.name}" and "${name}" wait for each other`,
      next: "Take one of the names out",
      position: draft.document.locate(place),
    }));
}

function withoutRancher({ clusters }: FleetDraft, draft: ClusterDraft): Problem[] {
  const { registerWith } = draft.cluster;
  const manager = clusters.find(({ cluster }) => cluster.name === registerWith?.cluster);
  if (!registerWith || !manager || addonWith(manager.cluster, "managesClusters")) return [];
  const name = manager.cluster.name;
  return [
    {
      code: "SPEC_NO_RANCHER",
      what: `Cluster "${name}" runs no Rancher to register with`,
      next: !hasKubernetes(manager.cluster)
        ? "Name a Kubernetes cluster with the add-on rancher"
        : `Add rancher to the addons of ${name}: { rancher: { hostname: rancher.example.org } }`,
      position: registerWith.at,
    },
  ];
}
