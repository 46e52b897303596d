import { defineResource, same, type GraphNode, type OwnedMachine } from "../../../plan/index.ts";
import type { HostRegistry } from "../host-registry.ts";
import { findMachine } from "../machine/find-machine.ts";
import type { MachineKey } from "../machine/machine-want.ts";
import { removeMachine } from "../machine/remove-machine.ts";
import type { MachineMark } from "../mark.ts";

/** What a move that was cut has left: not the machine of its node yet, or not any more. It is off, and stays so. */
export interface Half extends OwnedMachine {
  /** A copy that is not complete, or the old machine after its copy became the machine. */
  what: "copy" | "old";
  /** The host with the machine of its node, as far as its own mark says. */
  other: string;
  /** The machine of its node was seen there, so nobody needs this one. */
  isWaste: boolean;
  /** The node did its work when the move began. */
  wasRunning: boolean;
}

export interface Marked {
  machine: OwnedMachine;
  mark: MachineMark;
}

/** It counts for nothing on its host, whatever becomes of it. */
export const isHalf = (machine: Pick<OwnedMachine, "isRunning">, mark: MachineMark | undefined): boolean =>
  !machine.isRunning && (mark?.arriving !== undefined || mark?.movedTo !== undefined);

/**
 * Tells machines from halves. As long as the machine that a copy comes from is there, its mark alone says which of the two is
 * the machine of their node. What runs is always one: two that run are for people to judge.
 */
export function sortHalves(found: Marked[]): { machines: OwnedMachine[]; halves: Half[] } {
  const isHere = ({ machine, mark }: Marked): boolean => {
    if (!isHalf(machine, mark)) return true;
    const source = mark.arriving && found.find((each) => isTwin(each.machine, machine, mark.arriving?.from));
    return mark.movedTo === undefined && source?.mark.movedTo === machine.host;
  };
  const machines = found.filter(isHere).map(({ machine }) => machine);
  const halves = found
    .filter((each) => !isHere(each))
    .map(({ machine, mark: { movedTo, arriving } }): Half => ({
      ...machine,
      what: movedTo === undefined ? "copy" : "old",
      other: movedTo ?? arriving?.from ?? "",
      wasRunning: arriving?.wasRunning === true,
      // An old machine is all there is until its copy has started.
      isWaste: machines.some((each) => isTwin(each, machine) && (movedTo === undefined || each.isRunning)),
    }));
  return { machines, halves };
}

const isTwin = (one: OwnedMachine, other: OwnedMachine, host = one.host): boolean =>
  one.cluster === other.cluster && one.node === other.node && one.host === host && one !== other;

/** Only ever removed, with all its volumes: what they hold is where the machine is. */
export const libvirtHalf = (registry: HostRegistry) =>
  defineResource<MachineKey, MachineKey>({
    kind: "libvirt/half",
    read: async (ctx, key) => {
      const found = await findMachine(
        ctx,
        await registry.client(key.host),
        key,
        `remove a copy of ${key.node}`,
      );
      return found && isHalf(found, found.mark) ? key : undefined;
    },
    compare: () => same,
    create: async (_ctx, key) => key,
    update: async (_ctx, _want, have) => have,
    async remove(ctx, key) {
      const client = await registry.client(key.host);
      const found = await findMachine(ctx, client, key, `remove a copy of ${key.node}`);
      if (found && isHalf(found, found.mark)) await removeMachine(ctx, client, { ...found, losesData: true });
    },
  });

export const halfNode = ({ cluster, node, role, host, what, other }: Half): GraphNode<MachineKey> => ({
  id: `${cluster}/half/${node}-${host}`,
  kind: "libvirt/half",
  name: what === "copy" ? `half a copy of ${node} on ${host}` : `old machine of ${node} on ${host}`,
  title: `Remove what a move left of ${node} on ${host}`,
  want: { host, cluster, node },
  after: [],
  group: "nodes",
  stage: "machines",
  ...{ cluster, node, role, host },
  usualMs: 1_000,
  facts: { because: `${node} is on ${other}: a move between the two was cut` },
});
