import type { ClusterDraft, FleetDraft } from "../draft.ts";
import type { Host } from "../model.ts";

/** The hosts of a cluster, as far as they are described. */
export const hostsOf = ({ hosts }: FleetDraft, { cluster }: ClusterDraft): Host[] =>
  hosts.map(({ host }) => host).filter((host) => cluster.on.includes(host.name));

/** Of which kind all of them are; undefined when there are none, or several kinds. */
export function kindOfHosts(fleet: FleetDraft, draft: ClusterDraft): Host["provider"] | undefined {
  const kinds = new Set(hostsOf(fleet, draft).map((host) => host.provider));
  return kinds.size === 1 ? [...kinds][0] : undefined;
}
