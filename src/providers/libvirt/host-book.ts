import type { LibvirtClient } from "../../clients/libvirt/index.ts";
import type { LibvirtHost } from "../../spec/index.ts";

export type Connect = (host: LibvirtHost) => Promise<LibvirtClient>;

/** Graphs name hosts; this knows which they are and how to reach them. */
export interface HostBook {
  add(hosts: LibvirtHost[]): void;
  host(name: string): LibvirtHost;
  knows(name: string): boolean;
  client(name: string): Promise<LibvirtClient>;
}

export function hostBook(connect: Connect): HostBook {
  const hosts = new Map<string, LibvirtHost>();
  const find = (name: string): LibvirtHost => {
    const host = hosts.get(name);
    if (!host) throw new Error(`host ${name} was neither surveyed nor described`);
    return host;
  };
  return {
    add: (more) => {
      for (const host of more) hosts.set(host.name, host);
    },
    host: find,
    knows: (name) => hosts.has(name),
    client: (name) => connect(find(name)),
  };
}
