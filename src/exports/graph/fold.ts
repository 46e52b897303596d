import { groupBy } from "../../lib/index.ts";
import type { Machine, NetworkDiagram, NetworkMachine, TopologyDiagram } from "./model.ts";

/** How many machines one box stands for. */
export interface Counted {
  count?: number;
}

/** More machines than this are too many to look at one by one. */
const mostMachines = 60;

/** The picture of many machines: those of one pool on one host, alike and in the same state, become one box. */
export function foldTopology(diagram: TopologyDiagram): TopologyDiagram {
  const all = diagram.clusters.flatMap(({ hosts }) => hosts.flatMap(({ machines }) => machines));
  if (all.length <= mostMachines) return diagram;
  const alike = ({ pool, cores, memoryMiB, diskGiB, dataDisks, mark, note }: Machine): string =>
    JSON.stringify([pool, cores, memoryMiB, diskGiB, dataDisks, mark, note]);
  return {
    ...diagram,
    clusters: diagram.clusters.map((cluster) => ({
      ...cluster,
      hosts: cluster.hosts.map((host) => ({ ...host, machines: fold(host.machines, alike, foldedMachine) })),
    })),
  };
}

export function foldNetwork(diagram: NetworkDiagram): NetworkDiagram {
  if (diagram.machines.length <= mostMachines) return diagram;
  const alike = ({ cluster, host, pool, mark, note, nics }: NetworkMachine): string =>
    JSON.stringify([cluster, host, pool, mark, note, nics.map(({ network, bond }) => [network, bond])]);
  return { ...diagram, machines: fold(diagram.machines, alike, foldedNetworkMachine) };
}

function fold<M extends { name: string }>(
  machines: M[],
  keyOf: (machine: M) => string,
  join: (first: M, last: M, count: number) => M & Counted,
): M[] {
  return [...groupBy(machines, keyOf).values()].flatMap((group) => {
    const [first, last] = [group[0], group.at(-1)];
    if (!first || !last) return [];
    return group.length === 1 ? [first] : [join(first, last, group.length)];
  });
}

function foldedMachine(first: Machine, last: Machine, count: number): Machine & Counted {
  const { vmid: _ofOne, ...shared } = first;
  return {
    ...shared,
    name: range(first.name, last.name),
    address: first.address === undefined ? undefined : range(first.address, last.address),
    count,
  };
}

const foldedNetworkMachine = (
  first: NetworkMachine,
  last: NetworkMachine,
  count: number,
): NetworkMachine & Counted => ({
  ...first,
  name: range(first.name, last.name),
  nics: first.nics.map(({ mac: _ofOne, ...nic }, index) => ({
    ...nic,
    address: nic.address === undefined ? undefined : range(nic.address, last.nics[index]?.address),
  })),
  count,
});

/** Not every one between the two need be meant: the others stand on other hosts. */
const range = (first: string, last: string | undefined): string =>
  last === undefined || last === first ? first : `${first} … ${last}`;
