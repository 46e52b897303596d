import { openLibvirt, type LibvirtClient } from "../../clients/libvirt/index.ts";
import type { CallTrace, Clock, Dial } from "../../lib/index.ts";
import { sharedClients } from "../../world/index.ts";
import {
  bridgesOf,
  hostnameOf,
  isLibvirtHost,
  type Cluster,
  type Fleet,
  type LibvirtHost,
} from "../../spec/index.ts";

const port = 16_509;

/** A daemon that hosts of the file lead to, under the name of the first of them. */
interface Daemon {
  name: string;
  /** Where it answers in the rehearsal, whatever way its URI goes. */
  entry: { host: string; port: number };
  hosts: LibvirtHost[];
}

/** Of the range for benchmarks, in which no file has its own: for a URI that names no host. */
const thisMachine = "198.19.0.1";

/** One for each place that a URI leads to. */
export function rehearsedDaemons(fleet: Fleet): Daemon[] {
  const byPlace = new Map<string, Daemon>();
  for (const host of fleet.hosts.filter(isLibvirtHost)) {
    const place = hostnameOf(host) ?? thisMachine;
    const known = byPlace.get(place) ?? { name: host.name, entry: { host: place, port }, hosts: [] };
    known.hosts.push(host);
    byPlace.set(place, known);
  }
  return [...byPlace.values()];
}

/** The hosts with libvirt that a fleet expects, each with room to spare: by name. */
export const rehearsalLibvirt = (
  fleet: Fleet,
  memoryGiB: (host: LibvirtHost) => number,
): Record<string, unknown> =>
  Object.fromEntries(
    rehearsedDaemons(fleet).map(({ name, hosts }) => {
      const clusters = fleet.clusters.filter(({ on }) => hosts.some((host) => on.includes(host.name)));
      const memory = hosts.reduce((sum, host) => sum + memoryGiB(host), 0);
      return [
        name,
        {
          cores: 64,
          memory: `${Math.max(64, memory * 2)}GiB`,
          size: "100TiB",
          bridges: bridgesFor(clusters),
          pools: poolsFor(hosts, clusters),
          networks: networksFor(clusters),
        },
      ];
    }),
  );

/** With the cards that machines share with their host. */
function bridgesFor(clusters: Cluster[]): Record<string, unknown> {
  const cards = clusters.flatMap(({ network: { libvirt } }) =>
    libvirt?.kind === "macvtap" ? [libvirt.device] : [],
  );
  const names = [...new Set(clusters.flatMap(bridgesOf))];
  return Object.fromEntries([
    ...names.map((name) => [name, { isVlanAware: true }]),
    ...(cards.length > 0 ? [["br-cards", { ports: cards }]] : []),
  ]);
}

/** Pools that are only named are there already. */
function poolsFor(hosts: LibvirtHost[], clusters: Cluster[]): Record<string, unknown> {
  const made = new Set(
    hosts.flatMap(({ libvirt: { pool } }) => (pool.path === undefined ? [] : [pool.name])),
  );
  const named = [
    ...hosts.map(({ libvirt }) => libvirt.pool.name),
    ...clusters.flatMap(({ nodes }) =>
      nodes.flatMap((node) => [node, ...node.dataDisks].flatMap(({ storage }) => storage ?? [])),
    ),
  ];
  return Object.fromEntries(
    named.filter((name) => !made.has(name)).map((name) => [name, { size: "100TiB" }]),
  );
}

/** Networks that somebody else keeps, with the addresses that the file expects there. */
function networksFor(clusters: Cluster[]): Record<string, unknown> {
  return Object.fromEntries(
    clusters.flatMap(({ network: { libvirt, gateway, prefix } }) =>
      libvirt?.kind === "network" ? [[libvirt.name, { cidr: `${gateway}/${prefix}` }]] : [],
    ),
  );
}

interface Connecting {
  dial: Dial;
  clock: Clock;
  calls: CallTrace;
}

/** Connections to the daemons, whatever way a URI goes. */
export function libvirtClients(daemons: Daemon[], { dial, clock, calls }: Connecting) {
  const clients = sharedClients();
  return {
    openLibvirt: (host: LibvirtHost): Promise<LibvirtClient> =>
      clients.open(host.name, () => {
        const daemon = daemons.find(({ hosts }) => hosts.some(({ name }) => name === host.name));
        const entry = daemon?.entry ?? { host: hostnameOf(host) ?? thisMachine, port };
        return openLibvirt({ connect: () => dial(entry), driver: "qemu:///system", clock, calls });
      }),
    close: () => clients.close(),
  };
}
