import type { ProxmoxClient } from "../../clients/proxmox/index.ts";
import type { Survey } from "../../plan/index.ts";
import type { Host } from "../../spec/index.ts";

export type Connect = (host: Host) => Promise<ProxmoxClient>;

/** Graphs name hosts; this knows which they are and how to reach them. */
export interface HostBook {
  add(hosts: Host[]): void;
  host(name: string): Host;
  all(): Host[];
  client(name: string): Promise<ProxmoxClient>;
}

export function hostBook(connect: Connect): HostBook {
  const hosts = new Map<string, Host>();
  const find = (name: string): Host => {
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
export const groupByServer = (hosts: Host[]): Host[][] => {
  const groups = new Map<string, Host[]>();
  for (const host of hosts) {
    const key = `${host.proxmox.url} ${host.proxmox.token.id}`;
    groups.set(key, [...(groups.get(key) ?? []), host]);
  }
  return [...groups.values()];
};

/** Hosts that are one Proxmox cluster, also when each has a URL of its own. */
export function groupByRealm(hosts: Host[], survey: Survey): Host[][] {
  const realms = new Map(survey.hosts.map((facts) => [facts.host, facts.realm]));
  const groups = new Map<string, Host[]>();
  for (const host of hosts) {
    const realm = realms.get(host.name) ?? host.proxmox.url;
    groups.set(realm, [...(groups.get(realm) ?? []), host]);
  }
  return [...groups.values()];
}
