import type { ErrorData } from "../../errors/index.ts";
import { groupBy } from "../../lib/index.ts";
import type { Cluster, Host } from "../../spec/index.ts";
import type { HostRegistry } from "./host-registry.ts";
import type { OwnedMachine } from "../contract/owned-machine.ts";
import type { HostFacts, PlacedNode, Survey } from "../contract/provider.ts";

/** What a cluster wants, as checks of its hosts need it. */
export interface Wanted<H extends Host = Host> {
  cluster: Cluster;
  placed: PlacedNode<H>[];
  /** Every node of the run, by cluster: others may want the same memory and space. */
  all: ReadonlyMap<string, PlacedNode<H>[]>;
  survey: Survey;
}

/** One host with what a cluster wants of it. */
export interface HostView<H extends Host = Host, Client = unknown> extends Wanted<H> {
  host: H;
  /** The cluster's nodes on this host. */
  placed: PlacedNode<H>[];
  /** Nodes of all clusters of the run that go to this host. */
  nodesHere: WantedNode[];
  /** Those of the survey, by `cluster/node`. */
  machines: ReadonlyMap<string, OwnedMachine>;
  facts: HostFacts | undefined;
  /** Why the host could not be asked. */
  unreachableBecause: ErrorData | undefined;
  /** Another host is silent, so nobody knows yet which nodes this one gets. */
  isUndecided: boolean;
  client(): Promise<Client>;
}

/** How each host is seen. Nodes and machines are sorted here, once: a run has thousands of them on hundreds of hosts. */
export function hostViews<H extends Host, Client>(
  registry: HostRegistry<H, Client>,
  wanted: Wanted<H>,
): (host: H) => HostView<H, Client> {
  const { cluster, placed, all, survey } = wanted;
  const placedOn = groupBy(placed.filter(takesCapacity), ({ host }) => host.name);
  // The first one speaks for a node that has two.
  const machines = new Map(
    survey.machines.toReversed().map((each) => [keyOf(each.cluster, each.node), each]),
  );
  const nodes = [...(all.size > 0 ? all : new Map([[cluster.name, placed]]))].flatMap(([name, nodesOf]) =>
    nodesOf
      .filter(takesCapacity)
      .map((each) => ({ ...each, cluster: name, machine: machines.get(keyOf(name, each.node.name)) })),
  );
  const nodesOn = groupBy(nodes, ({ host }) => host.name);
  const facts = new Map(survey.hosts.map((each) => [each.host, each]));
  const isNotKnown = isUndecided(wanted);
  return (host) => ({
    host,
    cluster,
    placed: placedOn.get(host.name) ?? [],
    nodesHere: nodesOn.get(host.name) ?? [],
    machines,
    all,
    survey,
    facts: facts.get(host.name),
    unreachableBecause: survey.unreachable.find((each) => each.host === host.name)?.error,
    isUndecided: isNotKnown,
    client: () => registry.client(host.name),
  });
}

const keyOf = (cluster: string, node: string): string => `${cluster}/${node}`;

/** A machine at a place that the file does not name takes nothing from the host that answers for it. */
const takesCapacity = ({ on }: PlacedNode): boolean => on === undefined;

const isUndecided = ({ cluster, survey }: Pick<Wanted, "cluster" | "survey">): boolean =>
  survey.unreachable.some((each) => cluster.on.includes(each.host));

/** Where nodes go. While a host of the cluster is silent, that is not known, and all of them are looked at. */
export function hostsToCheck<H extends Host>(
  registry: Pick<HostRegistry<H, unknown>, "host">,
  wanted: Wanted<H>,
): H[] {
  const names = isUndecided(wanted) ? wanted.cluster.on : wanted.placed.map(({ host }) => host.name);
  return [...new Set(names)].map((name) => registry.host(name));
}

/** A node of any cluster of the run and the machine it has already. */
export interface WantedNode extends PlacedNode {
  cluster: string;
  machine: OwnedMachine | undefined;
}

export const machineOf = (
  { cluster, machines }: Pick<HostView, "cluster" | "machines">,
  node: string,
): OwnedMachine | undefined => machines.get(keyOf(cluster.name, node));

export type Read<T> = (signal: AbortSignal) => Promise<T>;

/** Several checks look at the same facts, which are read once. */
export function once<T>(read: Read<T>): Read<T> {
  let known: Promise<T> | undefined;
  return (signal) => (known ??= read(signal));
}
