import type { GuestDisk } from "../../guest.ts";

/** What a Talos node keeps on its system disk: plain JSON inside the guest's disk. */
export interface NodeDisk extends NodeSystem {
  /** False while it runs from an ISO and nothing has been written. */
  isInstalled: boolean;
  /** The machine config in force. Absent: maintenance mode. */
  config?: string;
  /** The etcd data directory is not empty: this node is or was the named member. */
  etcdMemberId?: string;
  /** Written by an upgrade; becomes the running system at the next boot. */
  nextSystem?: NodeSystem;
  /** What ran before the last upgrade; a rollback boots it again. */
  previousSystem?: NodeSystem;
  /** The whole disk was wiped: nothing on it can be booted. */
  isBlank?: boolean;
  /** Changes with each boot. */
  bootId: string;
}

export interface NodeSystem {
  /** Talos version without `v`, and the schematic it was built from. */
  version: string;
  schematic: string;
  /** A metal node reads no seed. */
  platform: Platform;
}

export type Platform = "nocloud" | "metal" | "container";

const key = "talos";
const defaultVersion = "1.13.9";
/** Of the empty schematic: no extensions, no kernel arguments. */
const plainSchematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** The part of a guest's disk that is ours; absent when nothing was ever written there. */
export const findNodeDisk = (disk: GuestDisk | undefined): NodeDisk | undefined =>
  disk?.[key] as NodeDisk | undefined;

/** The same, made from the image at first boot. */
export function openNodeDisk(disk: GuestDisk, image: string): NodeDisk {
  return findNodeDisk(disk) ?? writeNodeDisk(disk, { ...readImage(image), bootId: "" });
}

export function writeNodeDisk(disk: GuestDisk, content: NodeDisk): NodeDisk {
  disk[key] = content;
  return content;
}

/** Version, schematic and platform out of a factory URL, an installer reference or a file name. */
export function readImage(image: string): NodeSystem & { isInstalled: boolean } {
  return {
    version: /(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)/.exec(image)?.[1] ?? defaultVersion,
    schematic: /[0-9a-f]{64}/.exec(image)?.[0] ?? plainSchematic,
    platform: /\bmetal\b/.test(image) ? "metal" : "nocloud",
    isInstalled: !/\.iso\b/.test(image),
  };
}

/**
 * The system an installer image writes. From 1.10 on the platform is the installer's own, and the one without a
 * platform in its name is made for metal; older ones keep that of the system they run on.
 */
export function readInstaller(image: string, running: NodeSystem): NodeSystem {
  const { version, schematic } = readImage(image);
  const named = /\b(nocloud|metal)-installer\b/.exec(image)?.[1] as Platform | undefined;
  const isNamedByImage = Number(version.split(".")[1]) >= 10 && image.includes("installer");
  return { version, schematic, platform: named ?? (isNamedByImage ? "metal" : running.platform) };
}
