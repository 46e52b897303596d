import { freeCapacityOf, gibOfMiB, placeNodes, type HostFacts, type Survey } from "../../plan/index.ts";
import { makesMachines, nodeNameOf, type Cluster, type Fleet, type Host } from "../../spec/index.ts";

/** What a host has, who has it, and what is left. Amounts are what was promised to machines, not what is in use this moment. */
export interface HostCapacity {
  host: string;
  software: string;
  /** What may be promised in all: with what the file allows beyond what there is. */
  memoryMiB: number;
  memoryFreeMiB: number;
  cores: number;
  coresFree: number;
  /** By cluster, in the order of the file; the rest of what is taken is outside of Slipway. */
  clusters: { cluster: string; machines: number; memoryMiB: number; cores: number }[];
  storages: { name: string; freeGiB: number; totalGiB: number; isShared?: boolean | undefined }[];
}

export interface FleetCapacity {
  hosts: HostCapacity[];
  /** Hosts that did not tell, and why. */
  unknown: { host: string; why: string }[];
  /** Whether another cluster like this one would fit beside it, by memory and cores. */
  another: { cluster: string; fits: boolean; text: string }[];
}

/** Pure: what the look at the hosts that `status` takes says of their capacity. */
export function capacityOf(fleet: Fleet, survey: Survey): FleetCapacity {
  const makers = fleet.hosts.filter(makesMachines);
  const known = makers.flatMap((host) => {
    const facts = survey.hosts.find((each) => each.host === host.name);
    return facts ? [{ host, facts }] : [];
  });
  const isKnown = new Set(known.map(({ host }) => host.name));
  return {
    hosts: known.map(({ host, facts }) => hostCapacity(host, facts, fleet, survey)),
    unknown: makers
      .filter(({ name }) => !isKnown.has(name))
      .map(({ name }) => ({
        host: name,
        why: survey.unreachable.find((each) => each.host === name)?.error.why ?? "it would not tell",
      })),
    another: fleet.clusters.flatMap((cluster) => another(cluster, fleet, survey) ?? []),
  };
}

function hostCapacity(host: Host, facts: HostFacts, { clusters }: Fleet, survey: Survey): HostCapacity {
  const here = survey.machines.filter(
    (machine) => machine.host === host.name && machine.on === nodeNameOf(host),
  );
  const names = new Set([...clusters.map(({ name }) => name), ...here.map(({ cluster }) => cluster)]);
  const free = freeCapacityOf(host, facts);
  return {
    host: host.name,
    software: facts.software,
    memoryMiB: Math.floor(facts.memoryMiB * host.overcommit.memory),
    memoryFreeMiB: Math.max(0, free.memoryMiB),
    cores: Math.floor(facts.cores * host.overcommit.cores),
    coresFree: Math.max(0, free.cores),
    clusters: [...names].flatMap((cluster) => {
      const own = here.filter((machine) => machine.cluster === cluster);
      return own.length === 0
        ? []
        : [
            {
              cluster,
              machines: own.length,
              memoryMiB: sum(own, "memoryMiB"),
              cores: sum(own, "cores"),
            },
          ];
    }),
    storages: facts.storages.map(({ name, freeGiB, totalGiB, isShared }) => ({
      name,
      freeGiB,
      totalGiB,
      isShared,
    })),
  };
}

/** Places a cluster of the same nodes as `up` would, and compares. Undefined: its machines are not made. */
function another(
  cluster: Cluster,
  { hosts }: Fleet,
  survey: Survey,
): FleetCapacity["another"][number] | undefined {
  const makers = hosts.filter((host) => makesMachines(host) && cluster.on.includes(host.name));
  if (makers.length === 0 || cluster.nodes.some(({ machine }) => machine)) return undefined;
  const nodes = cluster.nodes;
  // A name that no machine carries: all of it is to be made.
  const placed = placeNodes([{ ...cluster, name: "", nodes }], makers, survey, { forNode: () => undefined });
  for (const host of makers) {
    const facts = survey.hosts.find((each) => each.host === host.name);
    if (!facts) return { cluster: cluster.name, fits: false, text: `${host.name} did not tell what it has` };
    const here = [...placed.values()].flat().filter((each) => each.host === host);
    const wanted = here.map(({ node }) => node);
    const free = freeCapacityOf(host, facts);
    const lacks = [
      { by: sum(wanted, "memoryMiB") - free.memoryMiB, text: (by: number) => `${gibOfMiB(by)} of memory` },
      { by: sum(wanted, "cores") - free.cores, text: (by: number) => `${by} ${by === 1 ? "core" : "cores"}` },
    ].filter(({ by }) => by > 0);
    if (lacks.length > 0) {
      const text = `${host.name} would lack ${lacks.map((lack) => lack.text(lack.by)).join(" and ")}`;
      return { cluster: cluster.name, fits: false, text };
    }
  }
  const diskGiB = nodes.reduce(
    (all, node) => all + node.diskGiB + node.dataDisks.reduce((data, disk) => data + disk.sizeGiB, 0),
    0,
  );
  return {
    cluster: cluster.name,
    fits: true,
    text: `memory and cores are enough; its disks would take ${diskGiB} GiB in all`,
  };
}

const sum = <Key extends "memoryMiB" | "cores">(all: readonly Record<Key, number>[], what: Key): number =>
  all.reduce((total, each) => total + each[what], 0);
