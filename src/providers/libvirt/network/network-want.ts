import type { Graph, GraphNode, StepId } from "../../../plan/index.ts";
import type { Cluster, LibvirtHost } from "../../../spec/index.ts";
import type { Reservation } from "./network-xml.ts";

/** What a network is found by. */
export interface NetworkKey {
  host: string;
  cluster: string;
  name: string;
}

/** A network of a cluster's own, on one host. */
export interface NetworkWant extends NetworkKey {
  mode: "nat" | "isolated" | "routed";
  /** The host's own in it, which is the gateway. */
  address: { address: string; prefix: number };
  mtu?: number | undefined;
  /** In the order of their MACs. */
  reservations: Reservation[];
}

export const networkStep = (cluster: string, host: string): StepId => `${cluster}/network/${host}`;

const usualMs = 1_000;

/** The network that is made for a cluster on each of these hosts; nothing where the file names one that exists. */
export function describeNetwork(cluster: Cluster, hosts: LibvirtHost[]): Graph {
  const { libvirt, gateway, prefix, mtu } = cluster.network;
  if (libvirt?.kind !== "create") return [];
  return hosts.map((host): GraphNode<NetworkWant> => ({
    ...node({ host: host.name, cluster: cluster.name, name: libvirt.name }),
    want: {
      host: host.name,
      cluster: cluster.name,
      name: libvirt.name,
      mode: libvirt.mode,
      address: { address: gateway, prefix },
      mtu,
      reservations: libvirt.hasReservations ? reservationsOf(cluster) : [],
    },
    usualMs,
    facts: { network: libvirt.name, mode: libvirt.mode },
  }));
}

/** The end of networks that carry a cluster's mark, once its machines are gone. */
export const describeLeftoverNetworks = (networks: NetworkKey[], after: StepId[]): Graph =>
  networks.map((network) => ({
    ...node(network),
    want: network,
    after,
    facts: { network: network.name },
  }));

const node = (of: NetworkKey): Omit<GraphNode, "want"> => ({
  id: networkStep(of.cluster, of.host),
  kind: "libvirt/network",
  name: `network ${of.name} on ${of.host}`,
  after: [],
  group: "nodes",
  stage: "machines",
  cluster: of.cluster,
  host: of.host,
});

const reservationsOf = ({ nodes }: Cluster): Reservation[] =>
  nodes
    .map(({ mac, name, address }) => ({ mac: mac.toLowerCase(), name, address }))
    .toSorted((a, b) => (a.mac < b.mac ? -1 : 1));
