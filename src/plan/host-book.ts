import type { Host } from "../spec/index.ts";

/** Graphs name hosts; this knows which they are and how to reach them. */
export interface HostBook<H extends Host, Client> {
  add(hosts: H[]): void;
  host(name: string): H;
  all(): H[];
  knows(name: string): boolean;
  client(name: string): Promise<Client>;
}

export function hostBook<H extends Host, Client>(connect: (host: H) => Promise<Client>): HostBook<H, Client> {
  const hosts = new Map<string, H>();
  const find = (name: string): H => {
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
    knows: (name) => hosts.has(name),
    client: (name) => connect(find(name)),
  };
}
