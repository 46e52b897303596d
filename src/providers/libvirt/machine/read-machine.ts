import { allAt, firstAt, textAt, type XmlElement } from "../../../lib/index.ts";
import { readBoard, type FoundBoard } from "./machine-board.ts";
import { readNics, readOtherNics, type FoundNic } from "./nics.ts";
import { readDisks, readDrive, readOtherDisks } from "../disks/machine-disks.ts";
import type { MachineXml } from "./machine-xml.ts";
import { readMachineMark, type MachineMark } from "../mark.ts";
import { mebibytesOf } from "../../../clients/libvirt/wire/index.ts";
import { demandText, readDocument } from "../read-document.ts";

/** A machine as libvirt tells it, ours or not. */
export interface FoundMachine
  extends Omit<MachineXml, "mark" | "machine" | "pinned" | "nics">, Pick<FoundBoard, "machine" | "pinned"> {
  /** Absent: it is not ours. */
  mark?: MachineMark | undefined;
  nics: FoundNic[];
  /** What we have no words for and would lose by defining it again: `disk hda`, `hostdev`. */
  others: string[];
}

/** What libvirt adds by itself, what every machine of ours has, and what is read elsewhere. */
const knownParts = new Set(
  (
    "name uuid title metadata memory currentMemory vcpu iothreads os features cpu clock on_poweroff on_reboot on_crash pm " +
    "devices resource seclabel"
  ).split(" "),
);
const knownDevices = new Set(
  (
    "emulator disk controller interface serial console channel tpm input video audio watchdog memballoon rng " +
    "panic"
  ).split(" "),
);

/**
 * Reads a definition, of the next start or of a running machine; libvirt's additions to ours are left out.
 * Only the first says `host-model`: a running machine tells the model that it was given.
 */
export function readMachine(xml: string): FoundMachine {
  const domain = readDocument(xml, "domain");
  const [mark, seed, cdrom] = [readMachineMark(domain), readDrive(domain, "seed"), readDrive(domain, "cd")];
  const ioThreads = textAt(domain, "iothreads");
  const consoleLog = firstAt(domain, "devices", "serial", "log")?.attributes["file"];
  return {
    name: demandText(domain, "name"),
    uuid: demandText(domain, "uuid"),
    mark,
    title: textAt(domain, "title") ?? "",
    ...readSize(domain),
    ioThreads: ioThreads === undefined ? undefined : Number(ioThreads),
    ...readBoard(domain),
    hasTpm: hasDevice(domain, "tpm"),
    hasRng: hasDevice(domain, "rng"),
    hasAgentChannel: allAt(domain, "devices", "channel", "target").some(
      ({ attributes }) => attributes["name"] === "org.qemu.guest_agent.0",
    ),
    consoleLog,
    disks: readDisks(domain),
    seed,
    cdrom,
    nics: readNics(domain),
    others: readOthers(domain),
  };
}

function readSize(domain: XmlElement): Pick<MachineXml, "cores" | "maxCores" | "memoryMiB" | "maxMemoryMiB"> {
  const vcpu = firstAt(domain, "vcpu");
  const maxCores = Number(vcpu?.text ?? 1);
  const cores = Number(vcpu?.attributes["current"] ?? maxCores);
  const maxMemoryMiB = mebibytesOf(firstAt(domain, "memory")) ?? 0;
  const memoryMiB = mebibytesOf(firstAt(domain, "currentMemory")) ?? maxMemoryMiB;
  return {
    cores,
    maxCores: maxCores > cores ? maxCores : undefined,
    memoryMiB,
    maxMemoryMiB: maxMemoryMiB > memoryMiB ? maxMemoryMiB : undefined,
  };
}

const hasDevice = (domain: XmlElement, name: string): boolean =>
  firstAt(domain, "devices", name) !== undefined;

const readOthers = (domain: XmlElement): string[] => [
  ...readOtherDisks(domain).map((place) => `disk ${place}`),
  ...readOtherNics(domain).map((kind) => `interface ${kind}`),
  ...namesBut(knownDevices, firstAt(domain, "devices")),
  ...namesBut(knownParts, domain),
];

const namesBut = (known: Set<string>, of: XmlElement | undefined): string[] =>
  (of?.children ?? []).map(({ name }) => name).filter((name) => !known.has(name));
