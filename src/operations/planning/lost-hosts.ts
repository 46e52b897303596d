import type { Change, Graph, OwnedMachine, PlacedNode, Plan, Survey } from "../../plan/index.ts";
import type { Cluster, Fleet } from "../../spec/index.ts";
import { unknownHost } from "../fleet/errors.ts";
import type { Parts } from "./assemble.ts";
import { noHostLeft } from "./twin-errors.ts";
import type { LostHosts, Replaced } from "./made-again.ts";

/** The clusters as if these hosts were not in the file: their nodes go elsewhere, also those pinned to them. */
export function withoutLostHosts(fleet: Fleet, clusters: Cluster[], lost: LostHosts): Cluster[] {
  if (lost.size === 0) return clusters;
  const known = fleet.hosts.map(({ name }) => name);
  for (const name of lost) if (!known.includes(name)) throw unknownHost(name, known);
  return clusters.map((cluster) => {
    const on = cluster.on.filter((host) => !lost.has(host));
    if (on.length === 0) throw noHostLeft({ cluster: cluster.name, hosts: cluster.on });
    return { ...cluster, on, nodes: cluster.nodes.map((node) => unpinned(node, lost)) };
  });
}

const unpinned = (node: Cluster["nodes"][number], lost: LostHosts): Cluster["nodes"][number] => {
  if (node.host === undefined || !lost.has(node.host)) return node;
  const { host: _host, ...rest } = node;
  return rest;
};

/** Nodes of clusters that exist whose machine no host has any more. */
export function missingNodes(clusters: Cluster[], { machines }: Survey): string[] {
  return clusters.flatMap((cluster) => {
    const there = new Set(machines.filter((each) => each.cluster === cluster.name).map(({ node }) => node));
    const missing = cluster.nodes.filter(({ name }) => !there.has(name));
    return there.size === 0 ? [] : missing.map(({ name }) => `${cluster.name}/${name}`);
  });
}

/** Numbers are given anew where the cluster of hypervisors still has the old machine in its books. */
export function withoutTakenNumbers(
  clusters: Cluster[],
  { away = [] }: Survey,
  replaced: Replaced,
): Cluster[] {
  const taken = new Set(away.flatMap(({ id }) => id ?? []));
  return clusters.map((cluster) => ({
    ...cluster,
    nodes: cluster.nodes.map((node) => {
      const isTaken = node.vmid !== undefined && taken.has(node.vmid);
      if (!isTaken || !replaced.has(`${cluster.name}/${node.name}`)) return node;
      const { vmid: _vmid, ...rest } = node;
      return rest;
    }),
  }));
}

/** Machines that are made again say instead of what, so that an old one is known when its host comes back. */
export const markedAgain = (
  placed: Map<string, PlacedNode[]>,
  replaced: Replaced,
  lost: LostHosts,
): Map<string, PlacedNode[]> =>
  replaced.size === 0
    ? placed
    : new Map(
        [...placed].map(([cluster, nodes]) => [
          cluster,
          nodes.map((each) =>
            replaced.has(`${cluster}/${each.node.name}`)
              ? { ...each, isMadeAgain: true, ...(lost.size > 0 && { insteadOf: [...lost] }) }
              : each,
          ),
        ]),
      );

/** A machine is fenced when another one of its node was made instead of what its host had. */
export function withFenced(survey: Survey): Survey {
  const isOld = (machine: OwnedMachine): boolean =>
    survey.machines.some(
      ({ cluster, node, insteadOf = [] }) =>
        cluster === machine.cluster &&
        node === machine.node &&
        (insteadOf.includes(machine.host) || insteadOf.includes(machine.on)),
    );
  const fenced = survey.machines.filter(isOld);
  if (fenced.length === 0) return survey;
  return { ...survey, machines: survey.machines.filter((machine) => !isOld(machine)), fenced };
}

/** While an old machine runs, either of the two may answer at their address: what was seen there is not acted on. */
export function withoutConfused(plan: Plan, { fenced = [] }: Survey): Plan {
  const confused = new Set(
    fenced.filter(({ isRunning }) => isRunning).map(({ cluster, node }) => `${cluster}/${node}`),
  );
  const isClear = ({ node }: Change): boolean => !confused.has(`${node.cluster}/${node.node ?? ""}`);
  return confused.size === 0 ? plan : { ...plan, changes: plan.changes.filter(isClear) };
}

/** Removals of fenced machines; their data disks are kept, as those of every machine that leaves. */
export function describeFenced(
  survey: Survey,
  clusters: Cluster[],
  { provider }: Pick<Parts, "provider">,
  planned: Graph,
): Graph {
  const { fenced = [], images } = survey;
  const names = new Set(clusters.map(({ name }) => name));
  const scope = { losesData: false, clusters: [] };
  const keepImages = new Set(images.map((image) => image.file));
  return provider
    .describeLeftovers(
      { ...survey, machines: fenced },
      ({ cluster }) => names.has(cluster),
      keepImages,
      scope,
      planned,
    )
    .map(({ node = "", host = "", ...each }) => ({
      ...each,
      host,
      // Not the machine that the node has now.
      id: `${each.cluster}/fenced/${node}-${host}`,
      title: `Remove the old machine of ${node} on ${host}`,
      facts: { ...each.facts, because: `on ${host}: ${node} was made again while that host was lost` },
    }));
}
