import type { ExistingMachine } from "../model/existing.ts";
import { isExistingHost } from "../model/host-kinds.ts";
import type { WrittenPool } from "../schema/pool.ts";
import type { HostDraft } from "./draft.ts";

/** A machine that a pool may choose, and the host it is listed under. */
export interface MachineAtHand {
  host: string;
  machine: ExistingMachine;
}

/** Those listed under these hosts, in the order of the file. */
export const machinesAtHand = (hosts: readonly HostDraft[], on: readonly string[]): MachineAtHand[] =>
  hosts
    .map(({ host }) => host)
    .filter(isExistingHost)
    .filter(({ name }) => on.includes(name))
    .flatMap(({ name, existing }) => existing.machines.map((machine) => ({ host: name, machine })));

/** Names that nobody has are left out here; the checks tell of them. */
export function chosenMachines(
  at: readonly MachineAtHand[],
  wish: NonNullable<WrittenPool["machines"]>,
  count: number | undefined,
): MachineAtHand[] {
  if (Array.isArray(wish))
    return [...new Set(wish)].flatMap((name) => at.find(({ machine }) => machine.name === name) ?? []);
  const fitting = at.filter(({ machine }) =>
    Object.entries(wish).every(([label, value]) => machine.labels[label] === value),
  );
  return fitting.slice(0, count ?? fitting.length);
}
