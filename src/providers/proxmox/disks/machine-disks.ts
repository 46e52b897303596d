import type { MachineConfig } from "../../../clients/proxmox/index.ts";
import { formatOn } from "./disk-format.ts";
import type { FoundDisk, MachineWant } from "../machine/machine-want.ts";
import { boardOf } from "../machine/machine-firmware.ts";
import { properties, withProperties } from "../property-text.ts";

/** `fast:vm-3000-disk-1` of `fast:vm-3000-disk-1,size=50G`. */
export const volumeIn = (drive: string): string => drive.split(",")[0] ?? "";

const unitsGiB: Record<string, number> = { K: 1 / 1024 ** 2, M: 1 / 1024, G: 1, T: 1024 };

/** `local:100/vm-100-disk-0.qcow2,size=1280M` is 1.25. */
export function sizeGiB(drive: string): number {
  const found = /^(\d+(?:\.\d+)?)([KMGT]?)$/.exec(properties(drive).get("size") ?? "");
  return found ? Number(found[1]) * (unitsGiB[found[2] ?? ""] ?? 1 / 1024 ** 3) : 0;
}

export function readDisk(config: MachineConfig, slot: string): FoundDisk | undefined {
  const drive = config[slot];
  if (drive === undefined) return undefined;
  const volume = volumeIn(drive);
  return { slot, volume, storage: volume.split(":")[0] ?? "", sizeGiB: sizeGiB(drive) };
}

const isDisk = (config: MachineConfig, slot: string): boolean =>
  config[slot] !== undefined && !config[slot].includes("media=cdrom");

/** The first disk of the boot order; templates of other people may have it elsewhere than we. */
export function systemSlot(config: MachineConfig): string {
  const order = properties(config["boot"] ?? "").get("order") ?? "";
  const isBootable = (slot: string) => /^(?:scsi|virtio|sata|ide)\d+$/.test(slot) && isDisk(config, slot);
  return order.split(";").find(isBootable) ?? "scsi0";
}

export const slotNumber = (slot: string): number => Number(slot.slice("scsi".length));

export const readDataDisks = (config: MachineConfig): FoundDisk[] =>
  Object.keys(config)
    .filter((key) => /^scsi\d+$/.test(key) && key !== systemSlot(config) && isDisk(config, key))
    .toSorted((a, b) => slotNumber(a) - slotNumber(b))
    .flatMap((slot) => readDisk(config, slot) ?? []);

/** Trimmed blocks go back to the storage, and the guest knows that nothing spins. */
export const diskOptions = (want: MachineWant, slot = "scsi0"): Record<string, string | undefined> => ({
  discard: "on",
  iothread: boardOf(want).hasIoThreads ? "1" : undefined,
  ...(!slot.startsWith("virtio") && { ssd: "1" }),
});

/** A disk that is made: empty, or a copy of a volume. */
export const newDisk = (
  disk: { storage: string; sizeGiB: number } | { storage: string; from: string },
  want: MachineWant,
): string =>
  withProperties(
    "from" in disk ? `${disk.storage}:0,import-from=${disk.from}` : `${disk.storage}:${disk.sizeGiB}`,
    { ...diskOptions(want), format: formatOn(want, disk.storage) },
  );
