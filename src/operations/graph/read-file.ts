import type { ReadCluster, Readings } from "../../exports/graph/index.ts";
import { placeNodes, type Survey } from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import type { World } from "../../world/index.ts";
import { factsOf } from "../fleet/facts.ts";
import { selectClusters, type Selection } from "../fleet/select.ts";
import { hostsOf } from "../planning/assemble.ts";

type Known = Pick<World, "distributions">;

/** Hosts that nobody has asked: machines are spread as if all of them were empty and large enough. */
export const emptySurvey: Survey = {
  ...{ machines: [], images: [], keptDisks: [], keptDisksHolders: [], unreachable: [], hosts: [] },
};

/** Numbers are given when a plan is made. */
export const noIds = { forNode: () => undefined };

/** What the file alone says. Nothing is asked, on no network. */
export function readFile(fleet: Fleet, selection: Selection, known: Known): Readings {
  const clusters = selectClusters(fleet, selection);
  const hosts = hostsOf(fleet, clusters);
  const placed = placeNodes(clusters, hosts, emptySurvey, noIds);
  return {
    from: "file",
    hosts,
    hostFindings: {},
    clusters: clusters.map((cluster) => ({
      ...fileCluster(cluster, known),
      placed: placed.get(cluster.name) ?? [],
    })),
  };
}

/** A cluster before anything was found about it. */
export const fileCluster = (cluster: Cluster, known: Known): ReadCluster => ({
  name: cluster.name,
  cluster,
  placed: [],
  software: softwareOf(cluster, known),
  hasKubernetes: factsOf(cluster, known).kubernetes !== undefined,
  nodes: {},
  leftovers: [],
  addons: cluster.addons.map(({ id }) => ({ name: id })),
});

/** `Talos 1.13.9 · Kubernetes 1.36.3`. */
function softwareOf(cluster: Cluster, known: Known): string {
  const { title, kubernetes } = factsOf(cluster, known);
  const { distribution } = cluster;
  const version = "version" in distribution ? distribution.version : undefined;
  const own = typeof version === "string" ? `${title} ${version}` : title;
  return kubernetes && !kubernetes.isVersionShared ? `${own} · Kubernetes ${kubernetes.version}` : own;
}
