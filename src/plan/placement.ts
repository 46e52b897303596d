import type { Cluster, Host, Node } from "../spec/index.ts";
import type { PlacedNode, Survey } from "./provider.ts";
import { VmidLedger } from "./vmid-ledger.ts";

/** Where VMIDs come from when the file names none: control planes from 2000, workers from 3000. */
const vmidRanges = { "control-plane": 2000, worker: 3000 } as const;

/**
 * Gives every node of these clusters a host and a VMID. Machines that exist stay where they are, under their number;
 * new ones are spread so that control planes stand apart, or packed onto the first host with room.
 */
export function placeNodes(
  clusters: Cluster[],
  hosts: Host[],
  survey: Survey,
  vmids: VmidLedger = new VmidLedger(survey, clusters),
): Map<string, PlacedNode[]> {
  const hostByName = new Map(hosts.map((host) => [host.name, host]));
  const machines = new Map(survey.machines.map((machine) => [`${machine.cluster}/${machine.node}`, machine]));
  const memory = new FreeMemory(survey);
  return new Map(
    clusters.map((cluster) => {
      const load = new Load(memory);
      const settled = new Map<string, PlacedNode>();
      for (const node of cluster.nodes) {
        const machine = machines.get(`${cluster.name}/${node.name}`);
        const host = machine && hostByName.get(machine.host);
        if (!machine || !host) continue;
        settled.set(node.name, { node, host, vmid: machine.vmid });
        load.count(host, node);
      }
      const candidates = cluster.on.flatMap((name) => hostByName.get(name) ?? []);
      const placed = cluster.nodes.map(
        (node) => settled.get(node.name) ?? place(cluster, node, candidates, load, vmids),
      );
      return [cluster.name, placed];
    }),
  );
}

function place(cluster: Cluster, node: Node, candidates: Host[], load: Load, vmids: VmidLedger): PlacedNode {
  const host = chooseHost(cluster, node, candidates, load);
  load.count(host, node);
  load.memory.take(host, node.memoryMiB);
  return { node, host, vmid: node.vmid ?? vmids.take(host, vmidRanges[node.role]) };
}

function chooseHost(cluster: Cluster, node: Node, candidates: Host[], load: Load): Host {
  const pinned = node.host === undefined ? undefined : candidates.find((host) => host.name === node.host);
  if (pinned) return pinned;
  const [first] = candidates;
  if (!first) throw new Error(`cluster ${cluster.name} names no host`);
  if (cluster.placement === "pack") return candidates.find((host) => load.hasRoom(host, node)) ?? first;
  return candidates.reduce((best, host) => (load.compare(host, best, node) < 0 ? host : best), first);
}

/** Memory not yet given away, per host; machines still to be made count as soon as they are placed. */
class FreeMemory {
  private readonly freeMiB: Map<string, number>;

  constructor(survey: Survey) {
    this.freeMiB = new Map(survey.hosts.map((facts) => [facts.host, facts.memoryMiB - facts.memoryUsedMiB]));
  }

  of(host: Host): number {
    return this.freeMiB.get(host.name) ?? 0;
  }

  take(host: Host, memoryMiB: number): void {
    this.freeMiB.set(host.name, this.of(host) - memoryMiB);
  }
}

/** How many nodes of one cluster each host carries. */
class Load {
  readonly memory: FreeMemory;
  private readonly counts = new Map<string, number>();

  constructor(memory: FreeMemory) {
    this.memory = memory;
  }

  count(host: Host, node: Node): void {
    for (const key of [host.name, `${host.name}/${node.role}`]) this.counts.set(key, this.at(key) + 1);
  }

  hasRoom(host: Host, node: Node): boolean {
    return this.memory.of(host) >= node.memoryMiB;
  }

  /** Less than zero when `a` suits the node better: room first, then fewest of its role, fewest at all. */
  compare(a: Host, b: Host, node: Node): number {
    return (
      Number(this.hasRoom(b, node)) - Number(this.hasRoom(a, node)) ||
      this.at(`${a.name}/${node.role}`) - this.at(`${b.name}/${node.role}`) ||
      this.at(a.name) - this.at(b.name)
    );
  }

  private at(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}
