import type { Graph, GraphNode, MachineSteps, StepId } from "../../../plan/index.ts";
import type { GuestCluster, LinuxCluster, Node } from "../../../spec/index.ts";
import type { Guest, KnownGuests } from "./linux-access.ts";

export const guestOf = (cluster: GuestCluster, node: Node): Guest => ({
  cluster: cluster.name,
  node: node.name,
  address: node.address,
  user: cluster.distribution.user,
  ...firstContact(cluster),
});

/** The machines of a cluster as known_hosts needs them. */
export const knownGuests = (cluster: GuestCluster, machines: MachineSteps): KnownGuests => ({
  cluster: cluster.name,
  nodes: cluster.nodes.map(({ name, address }) => ({
    name,
    address,
    ...(cluster.isTrustedAtFirstContact && !machines.existing.includes(name) && { isToCome: true as const }),
  })),
  ...firstContact(cluster),
});

const firstContact = ({ isTrustedAtFirstContact }: GuestCluster): Pick<Guest, "isTrustedAtFirstContact"> =>
  isTrustedAtFirstContact ? { isTrustedAtFirstContact } : {};

/** After it, a machine stands on its own disk, set up. */
export const systemStep = (cluster: string, node: string): StepId => `${cluster}/system/${node}`;

/** From machines to systems one can log in on. */
export function describeLinux(cluster: LinuxCluster, machines: MachineSteps): Graph {
  const access: GraphNode<KnownGuests> = {
    id: `${cluster.name}/cluster/access`,
    kind: "linux/access",
    name: "SSH keys and known_hosts",
    want: knownGuests(cluster, machines),
    after: [],
    group: "cluster",
    stage: "distro",
    cluster: cluster.name,
    usualMs: 100,
  };
  return [access, ...cluster.nodes.map((node) => systemOf(cluster, node, machines, access.id))];
}

export function systemOf(
  cluster: GuestCluster,
  node: Node,
  machines: MachineSteps,
  access: StepId,
): GraphNode<Guest> {
  const machine = machines.stepOf(node.name);
  return {
    id: systemStep(cluster.name, node.name),
    kind: "linux/system",
    name: `${node.name} to be set up`,
    comesByItself: true,
    want: guestOf(cluster, node),
    after: [machine, access],
    within: [machine],
    group: "nodes",
    stage: "distro",
    cluster: cluster.name,
    node: node.name,
    role: node.role,
    usualMs: 35_000,
  };
}
