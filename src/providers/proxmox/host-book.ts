import type { ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { Survey } from "../../plan/index.ts";
import type { ProxmoxHost } from "../../spec/index.ts";

export type Connect = (host: ProxmoxHost) => Promise<ProxmoxClient>;

/** Graphs name hosts; this knows which they are and how to reach them. */
export interface HostBook {
  add(hosts: ProxmoxHost[]): void;
  host(name: string): ProxmoxHost;
  all(): ProxmoxHost[];
  client(name: string): Promise<ProxmoxClient>;
}

export function hostBook(connect: Connect): HostBook {
  const hosts = new Map<string, ProxmoxHost>();
  const find = (name: string): ProxmoxHost => {
    const host = hosts.get(name);
    if (!host) throw new Error(`host ${name} was neither surveyed nor described`);
    return host;
  };
  return {
    add: (more) => {
      for (const host of more) hosts.set(host.name, host);
    },
    host: find,
    all: () => [...hosts.values()],
    client: (name) => connect(find(name)),
  };
}

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
