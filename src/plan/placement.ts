import { nodeNameOf, type Cluster, type Host, type Node } from "../spec/index.ts";
import type { OwnedMachine, PlacedNode, Survey } from "./provider.ts";
import { Rooms } from "./room.ts";
import { VmidLedger } from "./vmid-ledger.ts";

/** Where VMIDs come from when the file names none: control planes from 2000, workers from 3000. */
const vmidRanges = { "control-plane": 2000, worker: 3000 } as const;

/**
 * Gives every node of these clusters a host and a VMID. Machines that exist stay where they are, under their number,
 * also when somebody moved them; new ones are spread evenly, or packed onto one host after the other. Either way control
 * planes stand apart as far as there are hosts with room.
 */
export function placeNodes(
  clusters: Cluster[],
  hosts: Host[],
  survey: Survey,
  vmids: VmidLedger = new VmidLedger(survey, clusters),
): Map<string, PlacedNode[]> {
  const hostByName = new Map(hosts.map((host) => [host.name, host]));
  const machines = new Map(survey.machines.map((machine) => [`${machine.cluster}/${machine.node}`, machine]));
  const rooms = new Rooms(survey);
  // What exists may be about to grow, so all of it is counted before anything new is placed.
  const standing = clusters.map((cluster) => {
    const load = new Load(rooms);
    const settled = cluster.nodes.flatMap((node) => {
      const machine = machines.get(`${cluster.name}/${node.name}`);
      const host = machine && hostByName.get(machine.host);
      return machine && host ? [settle(node, machine, host, load)] : [];
    });
    return { cluster, load, settled: new Map(settled.map((placed) => [placed.node.name, placed])) };
  });
  return new Map(
    standing.map(({ cluster, load, settled }) => {
      const candidates = cluster.on.flatMap((name) => hostByName.get(name) ?? []);
      const placed = cluster.nodes.map(
        (node) =>
          settled.get(node.name) ??
          place(cluster, node, nearKeptDisks(cluster, node, candidates, survey), load, vmids),
      );
      return [cluster.name, placed];
    }),
  );
}

/** Disks change hands only within one host, so a node whose data disks were kept goes where they are. */
function nearKeptDisks(cluster: Cluster, node: Node, candidates: Host[], survey: Survey): Host[] {
  const kept = survey.keptDisks.find((disk) => disk.cluster === cluster.name && disk.node === node.name);
  const there = candidates.filter((host) => host.name === kept?.host && nodeNameOf(host) === kept.on);
  return there.length === 0 || node.host !== undefined ? candidates : there;
}

function settle(node: Node, machine: OwnedMachine, host: Host, load: Load): PlacedNode {
  const { vmid, on } = machine;
  // On a node that the file does not name it takes nothing from a host that the file does.
  if (on !== nodeNameOf(host)) return { node, host, vmid, on };
  load.count(host, node);
  load.rooms.take(host, {
    memoryMiB: node.memoryMiB - machine.memoryMiB,
    cores: node.cores - machine.cores,
  });
  return { node, host, vmid };
}

function place(cluster: Cluster, node: Node, candidates: Host[], load: Load, vmids: VmidLedger): PlacedNode {
  const host = chooseHost(cluster, node, candidates, load);
  load.count(host, node);
  load.rooms.take(host, node);
  return { node, host, vmid: node.vmid ?? vmids.take(host, vmidRanges[node.role]) };
}

function chooseHost(cluster: Cluster, node: Node, candidates: Host[], load: Load): Host {
  const pinned = node.host === undefined ? undefined : candidates.find((host) => host.name === node.host);
  if (pinned) return pinned;
  const [first] = candidates;
  if (!first) throw new Error(`cluster ${cluster.name} names no host`);
  const compare = cluster.placement === "pack" ? load.comparePacked : load.compareSpread;
  return candidates.reduce((best, host) => (compare(host, best, node) < 0 ? host : best), first);
}

/** Less than zero when `a` suits the node better; zero leaves it to the order of the file. */
type CompareHosts = (a: Host, b: Host, node: Node) => number;

/** How many nodes of one cluster each host carries. */
class Load {
  readonly rooms: Rooms;
  private readonly counts = new Map<string, number>();

  constructor(rooms: Rooms) {
    this.rooms = rooms;
  }

  count(host: Host, node: Node): void {
    for (const key of [host.name, `${host.name}/${node.role}`]) this.counts.set(key, this.at(key) + 1);
  }

  /** Room first, then fewest of its role, fewest at all, and among equals the host with most left for others. */
  readonly compareSpread: CompareHosts = (a, b, node) =>
    this.compareRoom(a, b, node) ||
    this.at(`${a.name}/${node.role}`) - this.at(`${b.name}/${node.role}`) ||
    this.at(a.name) - this.at(b.name) ||
    this.rooms.unpromisedMiB(b) - this.rooms.unpromisedMiB(a);

  readonly comparePacked: CompareHosts = (a, b, node) =>
    this.compareRoom(a, b, node) ||
    (node.role === "control-plane"
      ? this.at(`${a.name}/${node.role}`) - this.at(`${b.name}/${node.role}`)
      : 0);

  private compareRoom(a: Host, b: Host, node: Node): number {
    return (
      Number(this.rooms.hasMemory(b, node)) - Number(this.rooms.hasMemory(a, node)) ||
      Number(this.rooms.hasCores(b, node)) - Number(this.rooms.hasCores(a, node))
    );
  }

  private at(key: string): number {
    return this.counts.get(key) ?? 0;
  }
}
