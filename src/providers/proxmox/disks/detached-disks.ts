import { errorData } from "../../../errors/index.ts";
import type { MachineChange, MachineConfig } from "../../../clients/proxmox/index.ts";
import type { Deviation } from "../machine/deviation.ts";
import { diskUnclear } from "../errors.ts";
import type { MachineHave, MachineWant, FoundDisk } from "../machine/machine-want.ts";
import { diskOptions, slotNumber, volumeIn } from "./machine-disks.ts";
import { withProperties } from "../property-text.ts";

/** A disk that was detached from its machine: Proxmox keeps the volume as `unusedN`, with all that is on it. */
export interface DetachedDisk {
  key: string;
  volume: string;
}

/** Those that were made for this machine; others' volumes carry others' numbers. */
export const detachedDisks = (config: MachineConfig, vmid: number): DetachedDisk[] =>
  Object.keys(config)
    .filter((key) => /^unused\d+$/.test(key))
    .map((key) => ({ key, volume: volumeIn(config[key] ?? "") }))
    .filter(({ volume }) => new RegExp(`[:/]vm-${vmid}-`).test(volume));

/** The data disk that was detached, where there is only one, and the slot that it has left. */
export function detachedData(
  have: Pick<MachineHave, "config" | "vmid" | "dataDisks">,
): (DetachedDisk & { slot: `scsi${number}` }) | undefined {
  const [only, ...more] = detachedDisks(have.config, have.vmid);
  if (!only || more.length > 0) return undefined;
  const taken = new Set(have.dataDisks.map(({ slot }) => slotNumber(slot)));
  let number = 1;
  while (taken.has(number)) number += 1;
  return { ...only, slot: `scsi${number}` };
}

/** The data disks as the file counts them. Once one was detached, only their slots tell which are left. */
export function disksInOrder(want: MachineWant, have: MachineHave): (FoundDisk | undefined)[] {
  const { dataDisks, config, vmid } = have;
  const isInPlace = dataDisks.every(({ slot }) => slotNumber(slot) <= want.dataDisks.length);
  if (detachedDisks(config, vmid).length === 0 || !isInPlace) return dataDisks;
  return want.dataDisks.map((_, index) => dataDisks.find(({ slot }) => slotNumber(slot) === index + 1));
}

/** A wanted disk that is missing while detached ones lie on the machine: never a new, empty one beside them. */
export function reattached(
  want: MachineWant,
  have: MachineHave,
  field: string,
  index: number,
): Deviation[] | undefined {
  const detached = detachedDisks(have.config, have.vmid);
  if (detached.length === 0) return undefined;
  const missing = disksInOrder(want, have).filter((disk) => disk === undefined).length;
  const absent = Math.max(missing, want.dataDisks.length - have.dataDisks.length);
  const slot = `scsi${index + 1}`;
  const [only] = detached;
  const change = { field, from: detached.map(({ key }) => `detached as ${key}`).join(", "), to: "attached" };
  if (!only || detached.length > 1 || absent > 1) {
    const error = errorData(diskUnclear({ ...want, missing: absent, detached }));
    const { from, to } = change;
    const objection = { topic: "data disks", from, to, consequence: "disturb" as const, error };
    return [{ ...change, consequence: "hot", keys: [slot], objection }];
  }
  const set = { [slot]: withProperties(only.volume, diskOptions(want, slot)) } as MachineChange;
  return [{ ...change, consequence: "hot", keys: [slot, only.key], set }];
}
