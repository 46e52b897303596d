import { allAt, element, firstAt, textAt, type XmlElement, type XmlPiece } from "../../../lib/index.ts";

/** What a machine is before anything is plugged into it. */
export interface MachineBoard {
  accelerator: "kvm" | "qemu";
  /** As libvirt names it: `x86_64`, `aarch64`. */
  architecture: string;
  machine: MachineKind;
  /** The very version that libvirt made of `machine` when it was defined; keep it, else a newer host changes the hardware. */
  pinned?: string;
  firmware: "bios" | "uefi";
  isSecureBoot: boolean;
  /** The firmware trusts what Microsoft signs, as Debian and Ubuntu need; absent: it takes the keys that the guest brings, like Talos. */
  hasEnrolledKeys?: true | undefined;
  /** A model, or `host-passthrough`, `host-model`, `maximum`. Absent: all that the accelerator can give. */
  cpu?: string | undefined;
}

/** `pc` is the older i440FX; `virt` is the one for ARM. */
export type MachineKind = "q35" | "pc" | "virt";

export interface FoundBoard extends Omit<MachineBoard, "machine" | "pinned"> {
  /** `q35`, `pc`, `virt`, or what libvirt says. */
  machine: string;
  pinned: string;
}

const bestCpu = { kvm: "host-passthrough", qemu: "maximum" } as const;
const cpuModes = ["host-passthrough", "host-model", "maximum"];
/** Unbounded, QEMU's translated code makes a small guest twice as big on the host. */
const translationCacheMiB = 128;

export const isPc = ({ machine }: Pick<MachineBoard, "machine">): boolean => machine !== "virt";

export function boardPieces(board: MachineBoard): XmlPiece[] {
  const isX86 = isPc(board);
  return [
    osPiece(board),
    element("features", {}, [
      element("acpi"),
      isX86 && element("apic"),
      board.isSecureBoot && isX86 && element("smm", { state: "on" }),
      board.accelerator === "qemu" &&
        element("tcg", {}, [element("tb-cache", { unit: "MiB" }, translationCacheMiB)]),
    ]),
    cpuPiece(board),
    element("clock", { offset: "utc" }, isX86 ? pcTimers() : []),
  ];
}

/** Files of the firmware are named by the host: their places differ between distributions. */
function osPiece(board: MachineBoard): XmlPiece {
  const isUefi = board.firmware === "uefi";
  return element("os", { firmware: isUefi ? "efi" : undefined }, [
    element("type", { arch: board.architecture, machine: board.pinned ?? board.machine }, "hvm"),
    isUefi &&
      element("firmware", {}, [
        element("feature", { enabled: yesNo(board.hasEnrolledKeys), name: "enrolled-keys" }),
        element("feature", { enabled: yesNo(board.isSecureBoot), name: "secure-boot" }),
      ]),
  ]);
}

const yesNo = (is: boolean | undefined): string => (is ? "yes" : "no");

function cpuPiece({ accelerator, cpu = bestCpu[accelerator] }: MachineBoard): XmlPiece {
  if (cpuModes.includes(cpu)) return element("cpu", { mode: cpu });
  return element("cpu", { mode: "custom", match: "exact", check: "none" }, [
    element("model", { fallback: "forbid" }, cpu),
  ]);
}

const pcTimers = (): XmlPiece[] => [
  element("timer", { name: "rtc", tickpolicy: "catchup" }),
  element("timer", { name: "pit", tickpolicy: "delay" }),
  element("timer", { name: "hpet", present: "no" }),
];

export function readBoard(domain: XmlElement): FoundBoard {
  const os = firstAt(domain, "os");
  const { arch = "", machine = "" } = firstAt(os, "type")?.attributes ?? {};
  const accelerator = domain.attributes["type"] === "kvm" ? "kvm" : "qemu";
  const cpu = readCpu(domain);
  return {
    accelerator,
    architecture: arch,
    machine: machineKind(machine),
    pinned: machine,
    firmware: isUefi(os) ? "uefi" : "bios",
    isSecureBoot: firstAt(os, "loader")?.attributes["secure"] === "yes" || hasFeature(os, "secure-boot"),
    hasEnrolledKeys: hasFeature(os, "enrolled-keys") ? true : undefined,
    cpu: cpu === bestCpu[accelerator] ? undefined : cpu,
  };
}

/** `pc-q35-7.2` is a q35, `pc-i440fx-7.2` is a pc. */
function machineKind(machine: string): string {
  if (/^(pc-)?q35\b/.test(machine)) return "q35";
  if (/^pc(-i440fx.*)?$/.test(machine)) return "pc";
  return /^virt(-\d.*)?$/.test(machine) ? "virt" : machine;
}

const isUefi = (os: XmlElement | undefined): boolean =>
  os?.attributes["firmware"] === "efi" || firstAt(os, "loader")?.attributes["type"] === "pflash";

const hasFeature = (os: XmlElement | undefined, name: string): boolean =>
  allAt(os, "firmware", "feature").some(
    ({ attributes }) => attributes["name"] === name && attributes["enabled"] === "yes",
  );

function readCpu(domain: XmlElement): string | undefined {
  const mode = firstAt(domain, "cpu")?.attributes["mode"];
  return mode !== undefined && cpuModes.includes(mode) ? mode : textAt(domain, "cpu", "model");
}
