import type { GuestDisk } from "../guest.ts";

/** What a Talos node keeps on its system disk: plain JSON inside the guest's disk. */
export interface NodeDisk {
  /** Talos version without `v`, and the schematic it was built from. */
  version: string;
  schematic: string;
  /** False while it runs from an ISO and nothing has been written. */
  isInstalled: boolean;
  /** The machine config in force. Absent: maintenance mode. */
  config?: string;
  /** The etcd data directory is not empty: this node is or was the named member. */
  etcdMemberId?: string;
  /** Written by an upgrade; becomes the running system at the next boot. */
  nextSystem?: { version: string; schematic: string };
  /** What ran before the last upgrade; a rollback boots it again. */
  previousSystem?: { version: string; schematic: string };
  /** The whole disk was wiped: nothing on it can be booted. */
  isBlank?: boolean;
  /** Changes with each boot. */
  bootId: string;
}

const key = "talos";
const defaultVersion = "1.13.9";
/** Of the empty schematic: no extensions, no kernel arguments. */
const plainSchematic = "376567988ad370138ad8b2698212367b8edcb69b5fd68c80be1f2ec7d603b4ba";

/** The part of the guest's disk that is ours, made from the image at first boot. */
export function openNodeDisk(disk: GuestDisk, image: string | undefined): NodeDisk {
  const existing = disk[key] as NodeDisk | undefined;
  if (existing !== undefined) return existing;
  const made: NodeDisk = { ...readImage(image ?? ""), bootId: "" };
  disk[key] = made;
  return made;
}

/** Version and schematic out of a factory URL, an installer reference or a file name. */
export function readImage(image: string): Pick<NodeDisk, "version" | "schematic" | "isInstalled"> {
  return {
    version: /(\d+\.\d+\.\d+(?:-(?:alpha|beta|rc)\.\d+)?)/.exec(image)?.[1] ?? defaultVersion,
    schematic: /[0-9a-f]{64}/.exec(image)?.[0] ?? plainSchematic,
    isInstalled: !/\.iso\b/.test(image),
  };
}
