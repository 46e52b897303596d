import type { StorageInfo } from "../../../clients/proxmox/index.ts";
import { keepsFiles } from "../disk-format.ts";

const blockKinds = new Set(["lvmthin", "zfspool", "zfs", "rbd", "btrfs"]);
export const canLinkOn = (kind: string): boolean => blockKinds.has(kind) || keepsFiles(kind);

/** Why the disk of a template cannot be shared by its clones; nothing when it can. */
export function obstacle(storage: StorageInfo, volume: string, wanted: string): string | undefined {
  if (storage.name !== wanted) return `a linked clone stays there, while the disk is to be on "${wanted}"`;
  if (!canLinkOn(storage.type)) return `a storage of type ${storage.type} cannot share blocks between disks`;
  if (keepsFiles(storage.type) && !volume.endsWith(".qcow2"))
    return `its disk is not in qcow2 format, which alone can be shared on a storage of type ${storage.type}`;
  return undefined;
}
