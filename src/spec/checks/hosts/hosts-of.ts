import type { ClusterDraft, FleetDraft } from "../../complete/draft.ts";
import type { Host } from "../../model/cluster.ts";
import { makesMachines } from "../../model/host-kinds.ts";

/** The hosts of a cluster, as far as they are described. */
export const hostsOf = ({ hosts }: FleetDraft, { cluster }: ClusterDraft): Host[] =>
  hosts.map(({ host }) => host).filter((host) => cluster.on.includes(host.name));

/** Of which kind all of them are on which machines are made; undefined when there are none, or several kinds. */
export function kindOfHosts(fleet: FleetDraft, draft: ClusterDraft): Host["provider"] | undefined {
  const kinds = new Set(
    hostsOf(fleet, draft)
      .filter(makesMachines)
      .map((host) => host.provider),
  );
  return kinds.size === 1 ? [...kinds][0] : undefined;
}

/** Whether all of them are known and only list machines that exist: nothing is made for the cluster. */
export function onlyLists(fleet: FleetDraft, draft: ClusterDraft): boolean {
  const hosts = hostsOf(fleet, draft);
  const { on } = draft.cluster;
  return on.length > 0 && hosts.length === on.length && !hosts.some(makesMachines);
}
