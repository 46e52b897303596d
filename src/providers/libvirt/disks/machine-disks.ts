import {
  allAt,
  element,
  firstAt,
  textAt,
  writeXml,
  type XmlElement,
  type XmlPiece,
} from "../../../lib/index.ts";

/**
 * Where a disk's bytes are. With AppArmor only a path works for a disk on top of a base: libvirt's helper does
 * not look into pools, and leaves the base out of what the machine may read.
 */
export type DiskSource =
  | { kind: "file" | "block"; path: string }
  | { kind: "volume"; pool: string; volume: string };

export type DiskBus = "virtio" | "scsi";
/** `none` goes past the host's memory, which some file systems cannot; `default` leaves it to QEMU. */
export type DiskCache = "default" | "none" | "writeback" | "writethrough" | "directsync" | "unsafe";

export interface MachineDisk {
  source: DiskSource;
  /** As the source holds it: `raw`, `qcow2`. */
  format: string;
  bus: DiskBus;
  /** libvirt's name for the place it is plugged in, `vda`. The guest may call it otherwise: it goes by the serial. */
  target: string;
  serial: string;
  cache: DiskCache;
  bootOrder?: number | undefined;
  /** The number of its thread, from 1. On virtio only: SCSI disks share their controller. */
  ioThread?: number | undefined;
}

/** A disc in a drive. */
export interface MachineCd {
  source: DiskSource;
  bootOrder?: number | undefined;
}

/** The drives have places of their own, so that they are told apart. Discs of a SATA drive stay unseen by Debian's cloud images. */
const drives = { seed: "sda", cd: "sdb" } as const;
export type Drive = keyof typeof drives;

/** The first place where no disk and no drive is plugged in. */
export function freeTarget(bus: DiskBus, taken: readonly string[]): string {
  const used = new Set<string>([...taken, ...Object.values(drives)]);
  for (let index = 0; ; index++) {
    const place = `${bus === "virtio" ? "vd" : "sd"}${lettersOf(index)}`;
    if (!used.has(place)) return place;
  }
}

/** a to z, then aa, ab and so on. */
function lettersOf(index: number): string {
  const last = String.fromCharCode(97 + (index % 26));
  return index < 26 ? last : `${lettersOf(Math.floor(index / 26) - 1)}${last}`;
}

/** What plugs a disk into a machine that is there, or out of it. */
export const diskXml = (disk: MachineDisk): string => writeXml(diskPiece(disk));

/** What changes the disc in a drive of a machine that is there; without a disc the drive is emptied. */
export const driveXml = (drive: Drive, disc?: MachineCd): string => writeXml(drivePiece(drive, disc));

export const diskPiece = (disk: MachineDisk): XmlPiece =>
  element("disk", { type: disk.source.kind, device: "disk" }, [
    element("driver", {
      name: "qemu",
      type: disk.format,
      cache: disk.cache === "default" ? undefined : disk.cache,
      // QEMU takes it only for disks that go past the host's memory.
      io: disk.cache === "none" || disk.cache === "directsync" ? "native" : undefined,
      discard: "unmap",
      detect_zeroes: "unmap",
      iothread: disk.ioThread,
    }),
    sourcePiece(disk.source),
    element("target", { dev: disk.target, bus: disk.bus }),
    element("serial", {}, disk.serial),
    bootPiece(disk.bootOrder),
  ]);

export const drivePiece = (drive: Drive, disc: MachineCd | undefined): XmlPiece =>
  element("disk", { type: disc?.source.kind ?? "file", device: "cdrom" }, [
    element("driver", { name: "qemu", type: "raw" }),
    disc && sourcePiece(disc.source),
    element("target", { dev: drives[drive], bus: "scsi" }),
    element("readonly"),
    bootPiece(disc?.bootOrder),
  ]);

function sourcePiece(source: DiskSource): XmlPiece {
  if (source.kind === "volume") return element("source", { pool: source.pool, volume: source.volume });
  return element("source", { [source.kind === "file" ? "file" : "dev"]: source.path });
}

const bootPiece = (order: number | undefined): XmlPiece | undefined =>
  order === undefined ? undefined : element("boot", { order });

/** Disks that can be told in our words; the others are named by `readOtherDisks`. */
export const readDisks = (domain: XmlElement): MachineDisk[] =>
  allAt(domain, "devices", "disk").flatMap((disk) => readDisk(disk) ?? []);

function readDisk(disk: XmlElement): MachineDisk | undefined {
  const source = readSource(disk);
  const { bus, dev } = firstAt(disk, "target")?.attributes ?? {};
  const isOurs = (disk.attributes["device"] ?? "disk") === "disk" && (bus === "virtio" || bus === "scsi");
  if (!isOurs || source === undefined) return undefined;
  const driver = firstAt(disk, "driver")?.attributes;
  return {
    source,
    format: driver?.["type"] ?? "raw",
    bus,
    target: dev ?? "",
    serial: textAt(disk, "serial") ?? "",
    cache: (driver?.["cache"] ?? "default") as DiskCache,
    ...readBoot(disk),
    ioThread: driver?.["iothread"] === undefined ? undefined : Number(driver["iothread"]),
  };
}

/** The disc in a drive of ours; undefined: it is empty, or the machine has no such drive. */
export function readDrive(domain: XmlElement, drive: Drive): MachineCd | undefined {
  const found = allAt(domain, "devices", "disk").find((disk) => isDrive(disk, drive));
  const source = found && readSource(found);
  return source && { source, ...readBoot(found) };
}

const isDrive = (disk: XmlElement, drive: Drive): boolean =>
  disk.attributes["device"] === "cdrom" && firstAt(disk, "target")?.attributes["dev"] === drives[drive];

/** Semaphore of disks and drives that we have no words for, plugged in by somebody else. */
export const readOtherDisks = (domain: XmlElement): string[] =>
  allAt(domain, "devices", "disk")
    .filter((disk) => !readDisk(disk) && !isDrive(disk, "seed") && !isDrive(disk, "cd"))
    .map((disk) => firstAt(disk, "target")?.attributes["dev"] ?? "");

function readSource(disk: XmlElement): DiskSource | undefined {
  const { file, dev, pool, volume } = firstAt(disk, "source")?.attributes ?? {};
  if (pool !== undefined && volume !== undefined) return { kind: "volume", pool, volume };
  if (file !== undefined) return { kind: "file", path: file };
  return dev === undefined ? undefined : { kind: "block", path: dev };
}

function readBoot(disk: XmlElement): { bootOrder?: number } {
  const order = firstAt(disk, "boot")?.attributes["order"];
  return order === undefined ? {} : { bootOrder: Number(order) };
}
