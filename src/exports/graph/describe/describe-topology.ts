import { groupBy } from "../../../lib/index.ts";
import type { Cluster, Node } from "../../../spec/index.ts";
import type { Machine, TopologyCluster, TopologyDiagram, TopologyHost } from "../model.ts";
import { firstNetwork } from "./describe-network.ts";
import { addressOf, hostNameOf, type NodeFinding, type ReadCluster, type Readings } from "./findings.ts";

/** What runs where: every cluster with its hosts, every host with its machines. */
export const describeTopology = (readings: Readings): TopologyDiagram => ({
  view: "topology",
  from: readings.from,
  shown: readings.clusters.map(({ name }) => name),
  clusters: readings.clusters.map((read) => topologyCluster(read, readings)),
});

const topologyCluster = (read: ReadCluster, readings: Readings): TopologyCluster => ({
  name: read.name,
  software: read.software,
  endpoint: read.hasKubernetes ? read.cluster?.endpoint : undefined,
  vip: read.cluster?.network.vip,
  network: read.cluster && firstNetwork(read.cluster),
  addons: read.addons,
  hosts: hostsOf(read, readings),
  mark: read.mark,
  note: read.note,
});

/** In the order of the file; machines that were moved to a place it does not name come last. */
function hostsOf(read: ReadCluster, readings: Readings): TopologyHost[] {
  const own = read.placed.map((placed) => ({
    host: hostNameOf(placed),
    machine: machineOf(placed.node, read.nodes[placed.node.name] ?? {}),
  }));
  const leftovers = read.leftovers.map(({ host, ...machine }) => ({ host, machine }));
  const byHost = groupBy([...own, ...leftovers], ({ host }) => host);
  const named = readings.hosts
    .map(({ name }) => name)
    .filter((name) => byHost.has(name) || isEmptyHost(read.cluster, name));
  const names = [...new Set([...named, ...byHost.keys()])];
  return names.map((name) => ({
    name,
    software: readings.hosts.find((host) => host.name === name)?.provider ?? "",
    ...readings.hostFindings[name],
    machines: (byHost.get(name) ?? []).map(({ machine }) => machine),
  }));
}

/** A host that the cluster may use is shown, also when nothing stands on it. */
const isEmptyHost = (cluster: Cluster | undefined, name: string): boolean =>
  cluster?.on.includes(name) === true;

const machineOf = (node: Node, found: NodeFinding): Machine => ({
  name: node.name,
  role: node.role,
  pool: node.pool,
  address: addressOf(node),
  vmid: node.vmid,
  cores: node.cores,
  memoryMiB: node.memoryMiB,
  diskGiB: node.diskGiB,
  dataDisks: node.dataDisks.map((disk) => ({
    sizeGiB: disk.sizeGiB,
    for: disk.for,
  })),
  ...found,
});
