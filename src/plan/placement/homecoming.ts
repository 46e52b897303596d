import { nodeNameOf, type Cluster, type Host } from "../../spec/index.ts";
import type { OwnedMachine } from "../contract/owned-machine.ts";
import type { Survey } from "../contract/provider.ts";
import { isOnHost } from "./evacuation.ts";
import { placeNodes } from "./placement.ts";

/**
 * Machines of a cluster that stand elsewhere and belong to this host: those pinned to it; then, role by role, those that
 * even out what the hosts carry, first of all the ones that the file would have put here. Where machines are packed and not
 * spread, workers come that the file would put here.
 */
export function machinesToReturn(
  cluster: Cluster,
  home: Host,
  hosts: Host[],
  survey: Survey,
): OwnedMachine[] {
  if (!cluster.on.includes(home.name)) return [];
  const machines = survey.machines.filter((each) => each.cluster === cluster.name);
  const nodes = new Map(cluster.nodes.map((node) => [node.name, node]));
  const byFile = new Set(
    (
      placeNodes([cluster], hosts, withoutMachines(survey), { forNode: () => undefined }).get(cluster.name) ??
      []
    )
      .filter(({ host }) => host.name === home.name)
      .map(({ node }) => node.name),
  );
  const isPinned = ({ node }: OwnedMachine): boolean => nodes.get(node)?.host !== undefined;
  const pinned = machines.filter(
    (machine) => nodes.get(machine.node)?.host === home.name && !isOnHost(machine, home),
  );
  const free = machines.filter((machine) => nodes.has(machine.node) && !isPinned(machine));
  const ofRole = (role: OwnedMachine["role"]) => free.filter((machine) => machine.role === role);
  const packed = ofRole("worker").filter((machine) => byFile.has(machine.node) && !isOnHost(machine, home));
  const workers = cluster.placement === "pack" ? packed : evened(ofRole("worker"), home, byFile);
  return [...pinned, ...evened(ofRole("control-plane"), home, byFile), ...workers];
}

/**
 * One after the other: from a place that is fuller by two or more, or, where that leaves things as even as they are, one
 * that the file would have put here, as long as the host has fewer than the file would give it.
 */
function evened(machines: OwnedMachine[], home: Host, byFile: ReadonlySet<string>): OwnedMachine[] {
  const places = new Map<string, number>();
  for (const { on } of machines) places.set(on, (places.get(on) ?? 0) + 1);
  const returning: OwnedMachine[] = [];
  const share = machines.filter(({ node }) => byFile.has(node)).length;
  const away = machines.filter((machine) => !isOnHost(machine, home));
  for (;;) {
    const here = (places.get(nodeNameOf(home)) ?? 0) + returning.length;
    const excess = ({ on }: OwnedMachine): number => (places.get(on) ?? 0) - here;
    const [next] = away
      .filter((machine) => excess(machine) >= (byFile.has(machine.node) && here < share ? 1 : 2))
      .toSorted((a, b) => Number(byFile.has(b.node)) - Number(byFile.has(a.node)) || excess(b) - excess(a));
    if (!next) return returning;
    returning.push(next);
    away.splice(away.indexOf(next), 1);
    places.set(next.on, (places.get(next.on) ?? 0) - 1);
  }
}

/** As if the clusters of the file were yet to be made: what their machines hold is free. */
function withoutMachines(survey: Survey): Survey {
  return {
    ...survey,
    machines: [],
    hosts: survey.hosts.map((facts) => {
      const ours = survey.machines.filter(({ host }) => host === facts.host);
      const memoryMiB = ours.reduce((sum, machine) => sum + machine.memoryMiB, 0);
      const cores = ours.reduce((sum, machine) => sum + machine.cores, 0);
      return {
        ...facts,
        memoryUsedMiB: Math.max(0, facts.memoryUsedMiB - memoryMiB),
        memoryPromisedMiB: facts.memoryPromisedMiB - memoryMiB,
        coresPromised: facts.coresPromised - cores,
      };
    }),
  };
}
