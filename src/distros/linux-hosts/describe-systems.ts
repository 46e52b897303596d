import type { GraphNode, MachineSteps, StepId } from "../../plan/index.ts";
import type { GuestCluster, Node } from "../../spec/index.ts";
import type { Guest, KnownGuests } from "./linux-access.ts";
import type { SystemWant } from "./system.ts";

export const guestOf = (cluster: GuestCluster, node: Node): Guest => ({
  cluster: cluster.name,
  node: node.name,
  address: node.address,
  user: cluster.distribution.user,
  ...contactOf(cluster),
});

/** The machines of a cluster as known_hosts needs them. */
export const knownGuests = (cluster: GuestCluster, machines: MachineSteps): KnownGuests => ({
  cluster: cluster.name,
  nodes: cluster.nodes.map(({ name, address, machine }) => ({
    name,
    address,
    ...contactOf(cluster, machines.placeOf(name).host),
    isToCome: machines.existing.includes(name) || machine ? undefined : (true as const),
  })),
});

/** Where the host is not known, as if it gave no keys: what is known of the machine stands in known_hosts by then. */
const contactOf = (
  { keylessHosts = [], distribution: { firstContact } }: GuestCluster,
  host = keylessHosts[0],
): Pick<Guest, "firstContact"> => (host !== undefined && keylessHosts.includes(host) ? { firstContact } : {});

/** One that exists is known by what the file or the user's known_hosts says, unless it is to be trusted. */
const isTrusting = ({ machine }: Node, { firstContact }: Pick<Guest, "firstContact">): boolean =>
  machine
    ? machine.fingerprint === undefined && (machine.isTrusted === true || firstContact === "trust")
    : firstContact === "trust";

/** The steps after which the host keys of machines that exist are known. */
export const metSteps = (cluster: GuestCluster, machines: MachineSteps): StepId[] =>
  cluster.nodes.filter(({ machine }) => machine).map(({ name }) => machines.stepOf(name));

/** After it, a machine stands on its own disk, set up. */
export const systemStep = (cluster: string, node: string): StepId => `${cluster}/system/${node}`;

export function systemOf(
  cluster: GuestCluster,
  node: Node,
  machines: MachineSteps,
  access: StepId,
): GraphNode<SystemWant> {
  const machine = machines.stepOf(node.name);
  const place = machines.placeOf(node.name);
  const contact = contactOf(cluster, place.host);
  const { firstContact: _unplaced, ...guest } = guestOf(cluster, node);
  return {
    id: systemStep(cluster.name, node.name),
    kind: "linux/system",
    name: `${node.name} to be set up`,
    comesByItself: true,
    want: {
      ...guest,
      ...contact,
      machine: { cluster: cluster.name, node: node.name, ...place },
      isThere: node.machine ? (true as const) : undefined,
    },
    after: [machine, access],
    within: [machine],
    group: "nodes",
    stage: "distro",
    cluster: cluster.name,
    node: node.name,
    role: node.role,
    usualMs: 35_000,
    facts: isTrusting(node, contact) ? { firstContact: "trust" } : undefined,
  };
}
