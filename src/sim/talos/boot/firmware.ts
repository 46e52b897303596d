import type { BootDevice, GuestDisks } from "../../guest.ts";
import { findNodeDisk, openNodeDisk, readImage, type NodeDisk } from "./node-disk.ts";

/** A system that a machine's firmware has found. */
export interface FoundSystem {
  disk: NodeDisk;
  /** The disk it lies on. Absent: it runs from memory, and what it writes is gone at its end. */
  slot?: string;
  /** It came from an ISO although a disk holds an installed system: it stops and says so. */
  isHalted: boolean;
}

const minorOf = (version: string): number => Number(version.split(".")[1]);

/** The first minor whose ISOs carry `talos.halt_if_installed`. */
const firstHalting = 8;

/** Goes through a machine's devices in order and starts from the first that holds a system. */
export function findSystem(order: readonly BootDevice[], disks: GuestDisks): FoundSystem | undefined {
  for (const device of order) {
    const found = device.kind === "disk" ? onDisk(device, disks) : onCdrom(device, disks);
    if (found !== undefined) return found;
  }
  return undefined;
}

function onDisk({ slot, image }: BootDevice, disks: GuestDisks): FoundSystem | undefined {
  const content = disks[slot];
  if (content === undefined) return undefined;
  const disk = image === undefined ? findNodeDisk(content) : openNodeDisk(content, image);
  return disk === undefined || disk.isBlank === true ? undefined : { disk, slot, isHalted: false };
}

/** Only an ISO of Talos is known to start; a seed or anything else in the drive is passed over. */
function onCdrom({ image = "" }: BootDevice, disks: GuestDisks): FoundSystem | undefined {
  if (!/talos|\bmetal\b|\bnocloud-(?:amd|arm)64/i.test(image)) return undefined;
  const system = readImage(image);
  const installed = Object.entries(disks).find(([, content]) => isInstalled(findNodeDisk(content)));
  if (installed === undefined)
    return { disk: { ...system, isInstalled: false, bootId: "" }, isHalted: false };
  if (minorOf(system.version) >= firstHalting) {
    return { disk: { ...system, isInstalled: false, bootId: "" }, isHalted: true };
  }
  // An older ISO goes on with what it finds on the disk.
  const [slot, content] = installed;
  return { disk: openNodeDisk(content, image), slot, isHalted: false };
}

const isInstalled = (disk: NodeDisk | undefined): boolean =>
  disk !== undefined && disk.isInstalled && disk.isBlank !== true;
