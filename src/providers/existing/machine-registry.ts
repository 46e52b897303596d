import { groupBy } from "../../lib/index.ts";
import type { BareMachineLook, BareMachines } from "../../plan/index.ts";
import type { Cluster, ExistingHost, ExistingMachine } from "../../spec/index.ts";
import { powerOf, type MachinePower, type PowerTools } from "./machine/power.ts";

/** A machine, and who in the file has chosen it. */
export interface ListedMachine {
  host: string;
  machine: ExistingMachine;
  /** Absent: nobody. */
  chosenBy?: Cluster | undefined;
}

export interface RegistryParts {
  /** All of the file. */
  clusters: readonly Cluster[];
  /** How the distribution of a cluster knows machines; undefined where it knows none. */
  bareMachines(cluster: Cluster): BareMachines | undefined;
  power: PowerTools;
}

/** Every machine of the hosts a session was opened with, and what may be asked of it. */
export interface MachineRegistry extends Omit<RegistryParts, "power"> {
  machinesOn(hosts: readonly ExistingHost[]): ListedMachine[];
  find(host: string, name: string): ListedMachine | undefined;
  power(listed: ListedMachine): MachinePower | undefined;
  look(listed: ListedMachine, signal: AbortSignal): Promise<BareMachineLook>;
}

export function machineRegistry(hosts: readonly ExistingHost[], parts: RegistryParts): MachineRegistry {
  const { clusters, bareMachines } = parts;
  const chosenBy = (name: string): Cluster | undefined =>
    clusters.find(({ nodes }) => nodes.some(({ machine }) => machine?.name === name));
  const machinesOn = (some: readonly ExistingHost[]): ListedMachine[] =>
    some.flatMap(({ name: host, existing }) =>
      existing.machines.map((machine) => {
        const owner = chosenBy(machine.name);
        return { host, machine, chosenBy: owner };
      }),
    );
  const all = new Map(machinesOn(hosts).map((each) => [`${each.host}/${each.machine.name}`, each]));

  /** Those that may have it, the one that has chosen it first. */
  const candidates = ({ host, chosenBy: owner }: ListedMachine): Cluster[] => {
    const others = clusters.filter((each) => each.on.includes(host) && each.name !== owner?.name);
    return owner ? [owner, ...others] : others;
  };

  return {
    ...parts,
    machinesOn,
    find: (host, name) => all.get(`${host}/${name}`),
    power: ({ host: name, machine }) => {
      const host = hosts.find((each) => each.name === name);
      return host && powerOf(parts.power, host, machine);
    },
    async look(listed, signal) {
      const families = groupBy(candidates(listed), bareMachines);
      let first: BareMachineLook | undefined;
      for (const [known, some] of families) {
        if (!known) continue;
        const seen = await known.look(listed.machine, some, signal);
        if (seen.state === "ours") return seen;
        first ??= seen;
      }
      return first ?? { state: "unreachable", why: "no cluster of the file is set up on such machines" };
    },
  };
}
