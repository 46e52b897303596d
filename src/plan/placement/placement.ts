import { Ranking } from "../../lib/index.ts";
import { makesMachines, nodeNameOf, type Cluster, type Host, type Node } from "../../spec/index.ts";
import type { OwnedMachine } from "../contract/owned-machine.ts";
import type { KeptDisk, MachineIds, PlacedNode, Survey } from "../contract/provider.ts";
import { FreeCapacities, type FreeCapacity } from "./free-capacity.ts";

/**
 * Gives every node of these clusters a host, and a number where machines have numbers. Machines that exist stay where
 * they are, under their number, also when somebody moved them; new ones are spread evenly, or packed onto one host after the other. Either way control
 * planes stand apart as far as there are hosts with room.
 */
export function placeNodes(
  clusters: Cluster[],
  hosts: Host[],
  survey: Survey,
  ids: Pick<MachineIds, "forNode">,
): Map<string, PlacedNode[]> {
  const hostByName = new Map(hosts.map((host) => [host.name, host]));
  const machines = new Map(survey.machines.map((machine) => [`${machine.cluster}/${machine.node}`, machine]));
  const keptDisks = new Map(
    survey.keptDisks.toReversed().map((disk) => [`${disk.cluster}/${disk.node}`, disk]),
  );
  const capacities = new FreeCapacities(survey);
  // What exists may be about to grow, so all of it is counted before anything new is placed.
  const standing = clusters.map((cluster) => {
    const load = new Load(capacities, cluster.placement);
    const settled = cluster.nodes.flatMap((node) => {
      const machine = machines.get(`${cluster.name}/${node.name}`);
      const host = machine && hostByName.get(machine.host);
      return machine && host ? [settle(node, machine, host, load)] : [];
    });
    return { cluster, load, settled: new Map(settled.map((placed) => [placed.node.name, placed])) };
  });
  return new Map(
    standing.map(({ cluster, load, settled }) => {
      const named = [...new Set(cluster.on)].flatMap((name) => hostByName.get(name) ?? []);
      const makers = named.filter(makesMachines);
      const placed = cluster.nodes.map(
        (node) =>
          settled.get(node.name) ??
          place(
            cluster,
            node,
            node.machine ? named : nearKeptDisks(node, makers, keptDisks.get(`${cluster.name}/${node.name}`)),
            load,
            ids,
          ),
      );
      return [cluster.name, placed];
    }),
  );
}

/** Disks change hands only within one host, so a node whose data disks were kept goes where they are. */
function nearKeptDisks(node: Node, candidates: Host[], kept: KeptDisk | undefined): Host[] {
  if (!kept || node.host !== undefined) return candidates;
  const there = candidates.filter((host) => host.name === kept.host && nodeNameOf(host) === kept.on);
  return there.length === 0 ? candidates : there;
}

function settle(node: Node, machine: OwnedMachine, host: Host, load: Load): PlacedNode {
  const { id, on } = machine;
  // On a node that the file does not name it takes nothing from a host that the file does.
  if (on !== nodeNameOf(host)) return { node, host, id, on };
  const more = { memoryMiB: node.memoryMiB - machine.memoryMiB, cores: node.cores - machine.cores };
  load.put(host, node, more);
  return { node, host, id };
}

function place(
  cluster: Cluster,
  node: Node,
  candidates: Host[],
  load: Load,
  ids: Pick<MachineIds, "forNode">,
): PlacedNode {
  const host = chooseHost(cluster, node, candidates, load);
  load.put(host, node, node);
  return { node, host, id: ids.forNode(node, host) };
}

function chooseHost(cluster: Cluster, node: Node, candidates: Host[], load: Load): Host {
  const pinned = node.host === undefined ? undefined : candidates.find((host) => host.name === node.host);
  const host = pinned ?? load.bestFor(node, candidates);
  if (!host) throw new Error(`cluster ${cluster.name} names no host`);
  return host;
}

/** Less than zero when `a` suits the node better; zero leaves it to the order of the file. */
type CompareFor = (a: Host, b: Host, node: Node) => number;

/** Hosts in the order in which they suit one kind of node. */
interface Suited {
  node: Node;
  candidates: Host[];
  hosts: Ranking<Host>;
}

type Count = Record<Node["role"] | "all", number>;

/** How many nodes of one cluster each host carries. */
export class Load {
  private readonly capacities: FreeCapacities;
  private readonly compare: CompareFor;
  private readonly counts = new Map<string, Count>();
  /** Of the last node: the next one is most often of the same kind. */
  private suited: Suited | undefined;

  constructor(capacities: FreeCapacities, placement: Cluster["placement"]) {
    this.capacities = capacities;
    this.compare = placement === "pack" ? this.comparePacked : this.compareSpread;
  }

  put(host: Host, node: Node, more: FreeCapacity): void {
    const count = this.on(host);
    count.all += 1;
    count[node.role] += 1;
    this.capacities.take(host, more);
    if (this.suited?.hosts.best === host) this.suited.hosts.bestFellBehind();
    else this.suited = undefined;
  }

  bestFor(node: Node, candidates: Host[]): Host | undefined {
    if (!this.suited || this.suited.candidates !== candidates || !isAlike(node, this.suited.node)) {
      const hosts = new Ranking(candidates, (a, b) => this.compare(a, b, node));
      this.suited = { node, candidates, hosts };
    }
    return this.suited.hosts.best;
  }

  /** Free capacity first, then fewest of its role, fewest at all, and among equals the host with most left for others. */
  private readonly compareSpread: CompareFor = (a, b, node) =>
    this.compareFreeCapacity(a, b, node) ||
    this.compareRole(a, b, node) ||
    this.on(a).all - this.on(b).all ||
    this.capacities.unpromisedMiB(b) - this.capacities.unpromisedMiB(a);

  private readonly comparePacked: CompareFor = (a, b, node) =>
    this.compareFreeCapacity(a, b, node) ||
    (node.role === "control-plane" ? this.compareRole(a, b, node) : 0);

  private compareFreeCapacity(a: Host, b: Host, node: Node): number {
    return (
      Number(this.capacities.hasMemory(b, node)) - Number(this.capacities.hasMemory(a, node)) ||
      Number(this.capacities.hasCores(b, node)) - Number(this.capacities.hasCores(a, node))
    );
  }

  private compareRole(a: Host, b: Host, { role }: Node): number {
    return this.on(a)[role] - this.on(b)[role];
  }

  private on(host: Host): Count {
    const known = this.counts.get(host.name) ?? { all: 0, "control-plane": 0, worker: 0 };
    this.counts.set(host.name, known);
    return known;
  }
}

/** Whatever a host is chosen by. */
const isAlike = (a: Node, b: Node): boolean =>
  a.role === b.role && a.memoryMiB === b.memoryMiB && a.cores === b.cores;
