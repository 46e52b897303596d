import type { ErrorData } from "../../errors/index.ts";
import type { Cluster, Host } from "../../spec/index.ts";
import type { HostRegistry } from "./host-registry.ts";
import type { HostFacts, OwnedMachine, PlacedNode, Survey } from "../contract/provider.ts";

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
  facts: HostFacts | undefined;
  /** Why the host could not be asked. */
  unreachableBecause: ErrorData | undefined;
  /** Another host is silent, so nobody knows yet which nodes this one gets. */
  isUndecided: boolean;
  client(): Promise<Client>;
}

export function hostView<H extends Host, Client>(
  registry: HostRegistry<H, Client>,
  host: H,
  wanted: Wanted<H>,
): HostView<H, Client> {
  const { cluster, placed, all, survey } = wanted;
  return {
    host,
    cluster,
    placed: placed.filter((each) => isOn(host, each)),
    all,
    survey,
    facts: survey.hosts.find((each) => each.host === host.name),
    unreachableBecause: survey.unreachable.find((each) => each.host === host.name)?.error,
    isUndecided: isUndecided(wanted),
    client: () => registry.client(host.name),
  };
}

/** A machine at a place that the file does not name takes nothing from the host that answers for it. */
const isOn = (host: Host, placed: PlacedNode): boolean =>
  placed.host.name === host.name && placed.on === undefined;

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

/** Nodes of all clusters of the run that go to this host. */
export function nodesHere(view: HostView): WantedNode[] {
  const all = view.all.size > 0 ? view.all : new Map([[view.cluster.name, view.placed]]);
  return [...all].flatMap(([cluster, placed]) =>
    placed
      .filter((each) => isOn(view.host, each))
      .map((each) => ({ ...each, cluster, machine: machineOf(view, each.node.name, cluster) })),
  );
}

export const machineOf = (
  view: Pick<HostView, "cluster" | "survey">,
  node: string,
  cluster = view.cluster.name,
): OwnedMachine | undefined =>
  view.survey.machines.find((machine) => machine.cluster === cluster && machine.node === node);

export type Read<T> = (signal: AbortSignal) => Promise<T>;

/** Several checks look at the same facts, which are read once. */
export function once<T>(read: Read<T>): Read<T> {
  let known: Promise<T> | undefined;
  return (signal) => (known ??= read(signal));
}
