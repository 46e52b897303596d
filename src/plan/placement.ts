import type { Cluster, Host, Node } from "../spec/index.ts";
import type { PlacedNode, Survey } from "./provider.ts";

/** Where VMIDs come from when the file names none: control planes from 2000, workers from 3000. */
const vmidRanges = { "control-plane": 2000, worker: 3000 } as const;

/**
 * Gives every node of a cluster a host and a VMID. Machines that exist stay where they are, under their number;
 * new ones are spread so that control planes stand apart, or packed onto the first host with room.
 */
export function placeNodes(cluster: Cluster, hosts: Host[], survey: Survey): PlacedNode[] {
  const candidates = cluster.on.flatMap((name) => hosts.find((host) => host.name === name) ?? []);
  const load = new Load(candidates, survey);
  const vmids = new VmidLedger(survey, cluster.nodes);
  const settled = new Map<string, PlacedNode>();
  for (const node of cluster.nodes) {
    const machine = survey.machines.find(
      (known) => known.cluster === cluster.name && known.node === node.name,
    );
    const host = machine && hosts.find((known) => known.name === machine.host);
    if (!machine || !host) continue;
    settled.set(node.name, { node, host, vmid: machine.vmid });
    load.count(host, node, false);
  }
  return cluster.nodes.map((node) => {
    const known = settled.get(node.name);
    if (known) return known;
    const host = chooseHost(cluster, node, candidates, load);
    load.count(host, node, true);
    return { node, host, vmid: node.vmid ?? vmids.take(host, vmidRanges[node.role]) };
  });
}

function chooseHost(cluster: Cluster, node: Node, candidates: Host[], load: Load): Host {
  const pinned = node.host === undefined ? undefined : candidates.find((host) => host.name === node.host);
  if (pinned) return pinned;
  const [first] = candidates;
  if (!first) throw new Error(`cluster ${cluster.name} names no host`);
  if (cluster.placement === "pack") return candidates.find((host) => load.hasRoom(host, node)) ?? first;
  return candidates.reduce((best, host) => (load.compare(host, best, node) < 0 ? host : best), first);
}

/** What each host carries, machines still to be made included. */
class Load {
  private readonly freeMiB = new Map<string, number>();
  private readonly nodes = new Map<string, Node[]>();

  constructor(hosts: Host[], survey: Survey) {
    for (const host of hosts) {
      const facts = survey.hosts.find((known) => known.host === host.name);
      this.freeMiB.set(host.name, facts ? facts.memoryMiB - facts.memoryUsedMiB : 0);
      this.nodes.set(host.name, []);
    }
  }

  count(host: Host, node: Node, isNew: boolean): void {
    this.nodes.get(host.name)?.push(node);
    if (isNew) this.freeMiB.set(host.name, (this.freeMiB.get(host.name) ?? 0) - node.memoryMiB);
  }

  hasRoom(host: Host, node: Node): boolean {
    return (this.freeMiB.get(host.name) ?? 0) >= node.memoryMiB;
  }

  /** Less than zero when `a` suits the node better: room first, then fewest of its role, fewest at all. */
  compare(a: Host, b: Host, node: Node): number {
    return (
      Number(this.hasRoom(b, node)) - Number(this.hasRoom(a, node)) ||
      this.countRole(a, node.role) - this.countRole(b, node.role) ||
      this.countAll(a) - this.countAll(b)
    );
  }

  private countRole(host: Host, role: Node["role"]): number {
    return (this.nodes.get(host.name) ?? []).filter((node) => node.role === role).length;
  }

  private countAll(host: Host): number {
    return this.nodes.get(host.name)?.length ?? 0;
  }
}

/** VMIDs in use or spoken for. A number is unique in a Proxmox cluster, so hosts behind one URL share theirs. */
class VmidLedger {
  private readonly spoken: Set<number>;
  private readonly survey: Survey;

  constructor(survey: Survey, nodes: Node[]) {
    this.survey = survey;
    this.spoken = new Set(nodes.flatMap((node) => node.vmid ?? []));
  }

  take(host: Host, from: number): number {
    const taken = this.survey.takenVmids.get(host.name);
    let vmid = from;
    while (this.spoken.has(vmid) || taken?.has(vmid)) vmid += 1;
    this.spoken.add(vmid);
    return vmid;
  }
}
