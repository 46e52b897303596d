import type { DatacenterStorage } from "../../datacenter-file.ts";
import { refusal } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
import type { Volume } from "../state.ts";
import { findStorage, removeVolume, usage, volumeId, volumePath } from "./volumes.ts";

const extentBytes = 4 * 2 ** 20;

/** Thick LVM sets all room aside at once, and so does ZFS unless told to be sparse; everything else grows with use. */
const isThick = (storage: DatacenterStorage): boolean =>
  storage.type === "lvm" || (storage.type === "zfspool" && !storage.sparse);

/** What a new, empty volume takes of its storage. */
export function emptyBytes(storage: DatacenterStorage, format: string, sizeBytes: number): number {
  if (isThick(storage)) return sizeBytes;
  return format === "raw" ? 4096 : 266_240;
}

/** Refuses a volume its storage has no room for. Where room is only promised, everything fits at first. */
export function demandSpace(
  cluster: Cluster,
  where: { storage: string; node: string },
  volume: string,
  sizeBytes: number,
): void {
  const storage = findStorage(cluster, where.storage);
  const { avail } = usage(cluster, where.storage, where.node);
  if (!isThick(storage) || sizeBytes <= avail) return;
  if (storage.type === "zfspool") {
    throw refusal(`zfs error: cannot create '${poolOf(where.storage, storage)}/${volume}': out of space`);
  }
  const free = Math.floor(avail / extentBytes);
  const needed = Math.ceil(sizeBytes / extentBytes);
  throw refusal(
    `lvcreate '${where.storage}/${volume}' error:   Volume group "${where.storage}" has insufficient free space (${free} extents): ${needed} required.`,
  );
}

export const poolOf = (name: string, storage: DatacenterStorage): string =>
  storage.type === "zfspool" ? `rpool/${name}` : name;

/** Writes so much to a new volume; one that does not fit is taken back. */
export function fillVolume(cluster: Cluster, volume: Volume, bytes: number, source: string): void {
  const { avail } = usage(cluster, volume.storage, volume.node ?? "");
  const more = Math.max(0, bytes - volume.usedBytes);
  if (more > avail) {
    const target = volumePath(cluster, volumeId(volume));
    removeVolume(cluster, volume);
    throw refusal(
      `copy failed: command '/usr/bin/qemu-img convert -p -n -O ${volume.format} ${source} ${target}' failed: exit code 1`,
    );
  }
  volume.usedBytes += more;
}

/** Grows a volume, if its storage lets it. */
export function growVolume(cluster: Cluster, volume: Volume, sizeBytes: number): void {
  const storage = findStorage(cluster, volume.storage);
  if (isThick(storage)) {
    const more = sizeBytes - volume.sizeBytes;
    const { avail } = usage(cluster, volume.storage, volume.node ?? "");
    if (more > avail) throw cannotGrow(volume, storage, sizeBytes);
    volume.usedBytes += more;
  }
  volume.sizeBytes = sizeBytes;
}

const cannotGrow = (volume: Volume, storage: DatacenterStorage, sizeBytes: number) =>
  refusal(
    storage.type === "zfspool"
      ? `zfs error: cannot set property for '${poolOf(volume.storage, storage)}/${volume.name}': size is greater than available space`
      : `command '/sbin/lvextend -L ${sizeBytes / 1024}k /dev/${volume.storage}/${volume.name}' failed: exit code 5`,
  );
