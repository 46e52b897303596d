import ipaddr from "ipaddr.js";
import { hasKnownMac, plugText, type Cluster, type NicPort, type Node } from "../../../spec/index.ts";
import type {
  MachineNic,
  Network,
  NetworkDiagram,
  NetworkFacts,
  NetworkMachine,
  SharedAddress,
} from "../model.ts";
import { addressOf, hostNameOf, type ReadCluster, type Readings } from "./findings.ts";

/** Which addresses are on which wire, for all clusters together: some share one. */
export function describeNetwork(readings: Readings): NetworkDiagram {
  const networks = new Networks();
  const machines = readings.clusters.flatMap((read) => machinesOf(read, networks));
  for (const { cluster } of readings.clusters) if (cluster) networks.share(cluster);
  return {
    view: "network",
    from: readings.from,
    shown: readings.clusters.map(({ name }) => name),
    networks: networks.all,
    machines,
  };
}

/** The one that carries the nodes' own addresses. */
export function firstNetwork({ network }: Cluster): NetworkFacts {
  return {
    bridge: plugText(network),
    vlan: network.vlan,
    subnet: network.cidr,
    gateway: network.gateway === "" ? undefined : network.gateway,
    dns: network.dns,
    mtu: network.mtu,
  };
}

function machinesOf(read: ReadCluster, networks: Networks): NetworkMachine[] {
  const { cluster, name: clusterName } = read;
  const own = read.placed.map((placed): NetworkMachine => {
    const { node } = placed;
    const { mark, note, address } = read.nodes[node.name] ?? {};
    return {
      ...{
        cluster: clusterName,
        name: node.name,
        role: node.role,
        pool: node.pool,
        host: hostNameOf(placed),
      },
      nics: cluster ? nicsOf(cluster, node, address ?? addressOf(node), networks) : [],
      mark,
      note,
    };
  });
  // What they are plugged into stands in no file any more.
  const leftovers = read.leftovers.map(({ name, role, pool, host, mark, note }): NetworkMachine => ({
    ...{ cluster: clusterName, name, role, pool, host, nics: [] },
    mark,
    note,
  }));
  return [...own, ...leftovers];
}

function nicsOf(cluster: Cluster, node: Node, address: string, networks: Networks): MachineNic[] {
  const { bridge } = cluster.network;
  const found: MachineNic[] = [
    {
      network: networks.idOf(firstNetwork(cluster)),
      nic: 1,
      address,
      mac: hasKnownMac(node) ? node.mac : undefined,
    },
    ...(node.vlans ?? []).map((vlan) => ({ ...networks.join(bridge, vlan.id, vlan), nic: 1 })),
  ];
  let count = 1;
  for (const nic of node.nics ?? []) {
    const ports: NicPort[] = [nic, ...(nic.bond?.with ?? [])];
    for (const [index, port] of ports.entries()) {
      count += 1;
      found.push({
        ...networks.join(port.bridge, port.vlan, index === 0 ? nic : {}),
        nic: count,
        mac: port.mac,
        bond: nic.bond?.mode,
      });
      if (index > 0) continue;
      for (const vlan of nic.vlans ?? [])
        found.push({ ...networks.join(nic.bridge, vlan.id, vlan), nic: count });
    }
  }
  return found;
}

interface LinkFacts {
  address?: string;
  isDhcp?: true;
  mtu?: number;
}

/** Every network once: the same wire with the same subnet is the same network. */
class Networks {
  readonly all: Network[] = [];
  private readonly byKey = new Map<string, Network>();

  idOf(facts: NetworkFacts): string {
    const key = keyOf(facts);
    const known = this.byKey.get(key);
    if (known) return known.id;
    const made: Network = { id: `network-${this.all.length + 1}`, ...facts, shared: [] };
    this.byKey.set(key, made);
    this.all.push(made);
    return made.id;
  }

  /** A link without a subnet of its own joins whatever is known on its wire. */
  join(
    bridge: string,
    vlan: number | undefined,
    link: LinkFacts,
  ): Pick<MachineNic, "network"> & Partial<MachineNic> {
    const [address] = link.address?.split("/") ?? [];
    const subnet = link.address === undefined ? undefined : subnetOf(link.address);
    const facts: NetworkFacts = {
      bridge,
      vlan,
      subnet,
      dns: [],
      mtu: link.mtu,
    };
    const onWire = this.all.find((each) => each.bridge === bridge && each.vlan === vlan);
    const network = subnet === undefined && onWire ? onWire.id : this.idOf(facts);
    const shown = link.isDhcp ? "DHCP" : address;
    return { network, address: shown };
  }

  /** What is answered for by no machine in particular. */
  share(cluster: Cluster): void {
    const id = this.idOf(firstNetwork(cluster));
    const network = this.all.find((each) => each.id === id);
    network?.shared.push(...sharedOf(cluster));
  }
}

function sharedOf({ name, network, addons }: Cluster): SharedAddress[] {
  const ranges = addons.flatMap(({ id, facts }) =>
    (facts.serviceAddresses ?? []).map((range): SharedAddress => ({
      cluster: name,
      name: `services, by ${id}`,
      address: range.start,
      to: range.stop === range.start ? undefined : range.stop,
    })),
  );
  return [
    ...(network.vip === undefined ? [] : [{ cluster: name, name: "VIP", address: network.vip }]),
    ...ranges,
  ];
}

const keyOf = ({ bridge, vlan, subnet }: NetworkFacts): string => JSON.stringify([bridge, vlan, subnet]);

function subnetOf(address: string): string | undefined {
  if (!ipaddr.isValidCIDR(address)) return undefined;
  const [parsed, bits] = ipaddr.parseCIDR(address);
  const family = parsed.kind() === "ipv4" ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${family.networkAddressFromCIDR(address).toString()}/${bits}`;
}
