import type { NewMachine } from "../../../clients/proxmox/index.ts";
import { newDiskFormat } from "../disks/disk-format.ts";
import type { MachineWant } from "./machine-want.ts";

export type BoardWant = Pick<
  MachineWant,
  "architecture" | "isSecureBoot" | "storage" | "fileStorages" | "seedStorage" | "hardware"
>;

/** What a machine is made of once every default is filled in. */
export interface Board {
  arch: "x86_64" | "aarch64";
  cpu: string;
  bios: "seabios" | "ovmf";
  machine: "pc" | "q35" | "virt";
  hasTpm: boolean;
  hasRng: boolean;
  isNuma: boolean;
  hasIoThreads: boolean;
}

export function boardOf(want: BoardWant): Board {
  const { hardware = {}, isSecureBoot = false } = want;
  const isArm = want.architecture === "arm64";
  const isUefi = isArm || isSecureBoot || hardware.firmware === "uefi";
  const chosen = hardware.machine === "i440fx" ? "pc" : hardware.machine;
  return {
    arch: isArm ? "aarch64" : "x86_64",
    // Talos needs x86-64-v2. "host" would be faster, but ties a machine to hosts of the same processor.
    // On ARM, "max" is the one type that works both with the host's help and without.
    cpu: hardware.cpu ?? (isArm ? "max" : "x86-64-v2-AES"),
    bios: isUefi ? "ovmf" : "seabios",
    machine: isArm ? "virt" : (chosen ?? (isUefi ? "q35" : "pc")),
    // A TPM lets disks be encrypted with a key that only this machine, started this way, can read.
    hasTpm: hardware.tpm ?? isSecureBoot,
    hasRng: hardware.rng ?? true,
    isNuma: hardware.numa ?? false,
    hasIoThreads: hardware.ioThreads ?? false,
  };
}

type Firmware = Pick<NewMachine, "arch" | "machine" | "bios" | "cpu" | "efidisk0" | "tpmstate0"> &
  Record<`scsi${number}`, string>;

/** Processor, firmware and where the seed is plugged in. What Proxmox would choose itself is not said. */
export function machineFirmware(want: BoardWant): Firmware {
  const { arch, cpu, bios, machine, hasTpm } = boardOf(want);
  return {
    // Said even where it is the host's own: an Intel host then emulates it or refuses, but never starts the wrong one.
    ...(arch === "aarch64" && { arch }),
    ...(machine !== "pc" && { machine }),
    ...(bios === "ovmf" && { bios, efidisk0: newEfiDisk(want) }),
    cpu,
    [seedSlot]: newSeed(want),
    ...(hasTpm && { tpmstate0: newTpm(want) }),
  };
}

// Talos brings its own keys and enrols them at first boot, which works only while the firmware has none.
export const newEfiDisk = (want: BoardWant): string =>
  [
    `${want.storage}:1`,
    ...(boardOf(want).arch === "aarch64" ? [] : ["efitype=4m"]),
    "pre-enrolled-keys=0",
    ...newDiskFormat(want, want.storage),
  ].join(",");

export const newTpm = ({ storage }: BoardWant): string => `${storage}:1,version=v2.0`;

export const newSeed = (want: BoardWant): string => `${seedStorage(want)}:cloudinit`;

export const seedStorage = ({ storage, seedStorage: own }: BoardWant): string => own ?? storage;

/**
 * Where a new machine has its seed. Not on IDE: only i440FX has that, on q35 it is AHCI, for which Debian's cloud kernel
 * has no driver. The last slot stays out of the way of data disks.
 */
export const seedSlot = "scsi30";

/** `fast:cloudinit` as it is asked for, `fast:vm-2000-cloudinit,media=cdrom` as it is then. */
export const isSeed = (drive: string): boolean => /^[^,]*[:-]cloudinit(?:\.\w+)?(?:,|$)/.test(drive);

/** Versions that were pinned, like `pc-q35-9.2`, count as their kind. */
export const boardKind = (machine: string): Board["machine"] =>
  machine.includes("q35") ? "q35" : machine.startsWith("virt") ? "virt" : "pc";

/** Whether every cloud kernel has a driver for the slot on a board like this. */
export const isSeenByAll = (slot: string, machine: Board["machine"]): boolean =>
  /^(?:scsi|virtio)/.test(slot) || (slot.startsWith("ide") && machine === "pc");
