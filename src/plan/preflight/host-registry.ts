import type { Host } from "../../spec/index.ts";

/** Graphs name hosts; this knows which they are and how to reach them. */
export interface HostRegistry<H extends Host, Client> {
  host(name: string): H;
  knows(name: string): boolean;
  client(name: string): Promise<Client>;
}

export function hostRegistry<H extends Host, Client>(
  hosts: readonly H[],
  connect: (host: H) => Promise<Client>,
): HostRegistry<H, Client> {
  const byName = new Map(hosts.map((host) => [host.name, host]));
  const find = (name: string): H => {
    const host = byName.get(name);
    if (!host) throw new Error(`no host "${name}" was opened`);
    return host;
  };
  return {
    host: find,
    knows: (name) => byName.has(name),
    client: (name) => connect(find(name)),
  };
}
