import { element, writeXml, type XmlPiece } from "../../../lib/index.ts";
import { boardPieces, isPc, type MachineBoard } from "./machine-board.ts";
import { nicPiece, type MachineNic } from "./nics.ts";
import { diskPiece, drivePiece, type MachineCd, type MachineDisk } from "../disks/machine-disks.ts";
import { machineMark, type MachineMark } from "../mark.ts";
import { inMebibytes } from "../../../clients/libvirt/wire/index.ts";

/** A machine in our words: all that its definition in libvirt says. */
export interface MachineXml extends MachineBoard {
  name: string;
  uuid: string;
  mark: MachineMark;
  /** For people who list machines. One line. */
  title: string;
  cores: number;
  /** To this many a running machine can be given more. Absent: `cores`. */
  maxCores?: number | undefined;
  memoryMiB: number;
  /** Up to this much memory a running machine can be given. Absent: `memoryMiB`. */
  maxMemoryMiB?: number | undefined;
  /** Threads of the host that disks can be given to. */
  ioThreads?: number | undefined;
  hasTpm: boolean;
  hasRng: boolean;
  hasAgentChannel: boolean;
  /** A file of the host that gets what the machine writes to its serial port. */
  consoleLog?: string | undefined;
  disks: MachineDisk[];
  /** The disc that tells a new machine who it is. */
  seed?: MachineCd | undefined;
  /** A disc to install from. */
  cdrom?: MachineCd | undefined;
  nics: MachineNic[];
}

/** The definition of a machine, as libvirt takes it. */
export const machineXml = (machine: MachineXml): string =>
  writeXml(
    element("domain", { type: machine.accelerator }, [
      element("name", {}, machine.name),
      element("uuid", {}, machine.uuid),
      element("title", {}, machine.title),
      element("metadata", {}, [machineMark(machine.mark)]),
      ...sizePieces(machine),
      ...boardPieces(machine),
      // Talos reboots out of its installation; whatever else stops a guest, it is to come back.
      element("on_poweroff", {}, "destroy"),
      element("on_reboot", {}, "restart"),
      element("on_crash", {}, "restart"),
      isPc(machine) &&
        element("pm", {}, [
          element("suspend-to-mem", { enabled: "no" }),
          element("suspend-to-disk", { enabled: "no" }),
        ]),
      element("devices", {}, devicePieces(machine)),
    ]),
  );

function sizePieces({ cores, maxCores, memoryMiB, maxMemoryMiB, ioThreads }: MachineXml): XmlPiece[] {
  const current = maxCores === undefined ? undefined : cores;
  return [
    inMebibytes("memory", maxMemoryMiB ?? memoryMiB),
    ...(maxMemoryMiB === undefined ? [] : [inMebibytes("currentMemory", memoryMiB)]),
    element("vcpu", { placement: "static", current }, maxCores ?? cores),
    ...(ioThreads === undefined ? [] : [element("iothreads", {}, ioThreads)]),
  ];
}

const devicePieces = (machine: MachineXml): (XmlPiece | false)[] => [
  ...machine.disks.map(diskPiece),
  ...(machine.seed ? [drivePiece("seed", machine.seed)] : []),
  ...(machine.cdrom ? [drivePiece("cd", machine.cdrom)] : []),
  // Even without SCSI disks, so that a disc or a disk can be plugged in while the machine runs.
  element("controller", { type: "scsi", index: 0, model: "virtio-scsi" }),
  ...portPieces(machine),
  ...machine.nics.map(nicPiece),
  ...serialPieces(machine),
  machine.hasAgentChannel &&
    element("channel", { type: "unix" }, [
      element("target", { type: "virtio", name: "org.qemu.guest_agent.0" }),
    ]),
  machine.hasTpm &&
    element("tpm", { model: isPc(machine) ? "tpm-crb" : "tpm-tis" }, [
      element("backend", { type: "emulator", version: "2.0" }),
    ]),
  element("video", {}, [element("model", { type: "none" })]),
  element("watchdog", { model: "i6300esb", action: "reset" }),
  element("memballoon", { model: "virtio", freePageReporting: "on" }),
  machine.hasRng &&
    element("rng", { model: "virtio" }, [element("backend", { model: "random" }, "/dev/urandom")]),
  isPc(machine) && element("panic", { model: "isa" }),
];

/** Controllers, balloon, randomness and the bridge that the watchdog stands behind. */
const ownPorts = 6;
/** Left to itself, libvirt leaves room for a single disk or card to be plugged into a running machine. */
const sparePorts = 8;

/** Each device takes a port of its own; only the older board has slots instead. */
function portPieces({ machine, disks, nics }: MachineXml): XmlPiece[] {
  if (machine === "pc") return [];
  const blocks = disks.filter(({ bus }) => bus === "virtio").length;
  const ports = ownPorts + blocks + nics.length + sparePorts;
  return [
    element("controller", { type: "pci", index: 0, model: "pcie-root" }),
    ...Array.from({ length: ports }, (_, index) =>
      element("controller", { type: "pci", index: index + 1, model: "pcie-root-port" }),
    ),
  ];
}

/** Always there: some images hang without a serial port, and it is the only screen of a machine without one. */
function serialPieces(machine: MachineXml): XmlPiece[] {
  const log = machine.consoleLog;
  const model = isPc(machine) ? "isa-serial" : "system-serial";
  return [
    element("serial", { type: "pty" }, [
      log !== undefined && element("log", { file: log, append: "on" }),
      element("target", { type: model, port: 0 }),
    ]),
    element("console", { type: "pty" }, [
      log !== undefined && element("log", { file: log, append: "on" }),
      element("target", { type: "serial", port: 0 }),
    ]),
  ];
}
