import type { ProxmoxClient } from "../../clients/proxmox/index.ts";
import { hostRegistry as registryOf, type HostRegistry as BookOf, type Survey } from "../../plan/index.ts";
import type { ProxmoxHost } from "../../spec/index.ts";

export type Connect = (host: ProxmoxHost) => Promise<ProxmoxClient>;
export type HostRegistry = BookOf<ProxmoxHost, ProxmoxClient>;

export const hostRegistry = (hosts: readonly ProxmoxHost[], connect: Connect): HostRegistry =>
  registryOf(hosts, connect);

/** Hosts of one Proxmox cluster answer for each other, so each cluster is asked once. */
export const groupByServer = (hosts: ProxmoxHost[]): ProxmoxHost[][] => {
  const groups = new Map<string, ProxmoxHost[]>();
  for (const host of hosts) {
    const key = `${host.proxmox.url} ${host.proxmox.token.id}`;
    groups.set(key, [...(groups.get(key) ?? []), host]);
  }
  return [...groups.values()];
};

/** Hosts that are one Proxmox cluster, also when each has a URL of its own. */
export function groupByRealm(hosts: ProxmoxHost[], survey: Survey): ProxmoxHost[][] {
  const realms = new Map(survey.hosts.map((facts) => [facts.host, facts.realm]));
  const groups = new Map<string, ProxmoxHost[]>();
  for (const host of hosts) {
    const realm = realms.get(host.name) ?? host.proxmox.url;
    groups.set(realm, [...(groups.get(realm) ?? []), host]);
  }
  return [...groups.values()];
}
