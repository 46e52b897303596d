import type { NewMachine } from "../../clients/proxmox/index.ts";
import type { MachineWant } from "./machine-config.ts";

type FirmwareWant = Pick<MachineWant, "architecture" | "isSecureBoot" | "storage">;
type Firmware = Pick<NewMachine, "arch" | "machine" | "bios" | "cpu" | "efidisk0" | "tpmstate0"> &
  Record<`scsi${number}` | `ide${number}`, string>;

/** Processor, firmware and where the seed is plugged in: what differs by architecture and secure boot. */
export function machineFirmware(want: FirmwareWant): Firmware {
  const seed = `${want.storage}:cloudinit`;
  // A TPM lets disks be encrypted with a key that only this machine, started this way, can read.
  const tpm = want.isSecureBoot ? { tpmstate0: `${want.storage}:1,version=v2.0` } : {};
  if (want.architecture === "arm64") {
    return {
      // Said even where it is the host's own: an Intel host then emulates it or refuses, but never starts the wrong one.
      arch: "aarch64",
      machine: "virt",
      bios: "ovmf",
      efidisk0: `${want.storage}:1,${keysOfItsOwn}`,
      // The one type that works both with the host's help and without.
      cpu: "max",
      // Such a machine has no IDE. The last slot stays out of the way of data disks.
      scsi30: seed,
      ...tpm,
    };
  }
  // Talos needs x86-64-v2. "host" would be faster, but ties a machine to hosts of the same processor.
  const plain = { cpu: "x86-64-v2-AES", ide2: seed };
  if (!want.isSecureBoot) return plain;
  return {
    ...plain,
    machine: "q35",
    bios: "ovmf",
    efidisk0: `${want.storage}:1,efitype=4m,${keysOfItsOwn}`,
    ...tpm,
  };
}

// Talos brings its own keys and enrols them at first boot, which works only while the firmware has none.
const keysOfItsOwn = "pre-enrolled-keys=0";
