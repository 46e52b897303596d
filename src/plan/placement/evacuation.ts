import { nodeNameOf, type Cluster, type Host, type Node } from "../../spec/index.ts";
import type { OwnedMachine } from "../contract/owned-machine.ts";
import type { Move, MoveOutlook, Survey } from "../contract/provider.ts";
import { Destinations } from "./destinations.ts";
import { Load } from "./placement.ts";

/** A machine for which there is no place. */
export interface Stuck {
  outlook: MoveOutlook;
  /** By host what speaks against it; none: the file names no other host. */
  reasons: { host: string; why: string }[];
}

/** Whether the machine stands on this host, and not merely answers through it. */
export const isOnHost = (machine: Pick<OwnedMachine, "host" | "on">, host: Host): boolean =>
  machine.host === host.name && machine.on === nodeNameOf(host);

/**
 * A place for every machine that leaves a host, by the rules by which new machines are placed: where there is capacity,
 * control planes apart from each other as far as hosts go, spread or packed as the file says.
 */
export function placeLeaving(
  outlooks: MoveOutlook[],
  leaving: Host,
  { clusters, hosts, survey }: { clusters: Cluster[]; hosts: Host[]; survey: Survey },
): { moves: Move[]; stuck: Stuck[] } {
  const destinations = new Destinations(survey);
  const loads = new Map(
    clusters.map((cluster) => [cluster.name, loadOf(cluster, hosts, survey, destinations)]),
  );
  const moves: Move[] = [];
  const stuck: Stuck[] = [];
  for (const outlook of hardestFirst(outlooks)) {
    const { machine } = outlook;
    const cluster = clusters.find((each) => each.name === machine.cluster);
    const load = loads.get(machine.cluster);
    const node = cluster?.nodes.find((each) => each.name === machine.node);
    if (!cluster || !load || !node) continue;
    const others = hosts.filter((host) => cluster.on.includes(host.name) && host.name !== leaving.name);
    const judged = others.map((host) => ({ host, why: destinations.against(host, outlook) }));
    const fitting = judged.filter(({ why }) => why === undefined).map(({ host }) => host);
    const to = load.bestFor(asItIs(node, machine), fitting);
    if (!to) {
      stuck.push({
        outlook,
        reasons: judged.flatMap(({ host, why }) => (why === undefined ? [] : [{ host: host.name, why }])),
      });
      continue;
    }
    load.put(to, node, machine);
    destinations.takeSpace(to, outlook);
    moves.push({ outlook, to });
  }
  return { moves, stuck };
}

/** What stays counts for spreading, and is promised already. */
export function loadOf(cluster: Cluster, hosts: Host[], survey: Survey, { capacities }: Destinations): Load {
  const load = new Load(capacities, cluster.placement);
  for (const machine of survey.machines.filter((each) => each.cluster === cluster.name)) {
    const node = cluster.nodes.find((each) => each.name === machine.node);
    const host = hosts.find((each) => isOnHost(machine, each));
    if (node && host) load.put(host, node, { memoryMiB: 0, cores: 0 });
  }
  return load;
}

/** The file may ask for more than the machine has yet. */
const asItIs = (node: Node, { memoryMiB, cores }: OwnedMachine): Node => ({ ...node, memoryMiB, cores });

/** Control planes choose first, then whoever needs most. */
const hardestFirst = (outlooks: MoveOutlook[]): MoveOutlook[] =>
  outlooks.toSorted(
    (a, b) =>
      Number(b.machine.role === "control-plane") - Number(a.machine.role === "control-plane") ||
      b.machine.memoryMiB - a.machine.memoryMiB,
  );
