import type { DatacenterStorage } from "../../datacenter-file.ts";
import { refusal } from "../api-error.ts";
import type { Cluster } from "../cluster.ts";
import { demandSpace, emptyBytes } from "./disk-space.ts";
import { storageLockFile } from "../locks.ts";
import type { Volume } from "../state.ts";
import { addVolume, findStorage, isFileStorage, storageOnNode, volumePath, volumesOn } from "./volumes.ts";

const allocationWaitMs = 60_000;

export interface DiskWish {
  storage: string;
  node: string;
  vmid: number;
  sizeBytes: number;
  format: string;
  /** `disk` gets the next free number, `cloudinit` none. */
  role: "disk" | "cloudinit";
  origin?: string | undefined;
  /** The disk of a template that a linked clone stands on. */
  base?: Volume | undefined;
}

/** Hands out a disk image of a VM under the storage's allocation lock. */
export function allocateDisk(cluster: Cluster, wish: DiskWish): Promise<Volume> {
  const storage = storageOnNode(cluster, wish.storage, wish.node);
  if (!storage.content.includes("images")) {
    throw refusal(`storage '${wish.storage}' does not support content-type 'images'`);
  }
  const lock = storageLockFile(wish.storage, storage.shared ? undefined : wish.node);
  return cluster.locks.hold(lock, allocationWaitMs, async () => {
    await cluster.clock.sleep(cluster.latencies.allocateMs);
    return allocate(cluster, storage, wish);
  });
}

function allocate(cluster: Cluster, storage: DatacenterStorage, wish: DiskWish): Volume {
  const isFile = isFileStorage(storage);
  const format = isFile ? wish.format : "raw";
  const bare = wish.role === "cloudinit" ? `vm-${wish.vmid}-cloudinit` : nextDiskName(cluster, wish);
  const name = volumeName(storage, wish, bare, format);
  // Formats that the emulator has and the storage does not.
  if (isFile && !/^(?:raw|qcow2|vmdk)$/.test(format)) {
    throw refusal(`unable to parse volume filename '${bare}.${format}'`);
  }
  if (volumesOn(cluster, wish.storage, wish.node).some((volume) => volume.name === name)) {
    throw refusal(`disk image '${volumePath(cluster, `${wish.storage}:${name}`)}' already exists`);
  }
  // A linked clone begins with nothing of its own.
  if (!wish.base) demandSpace(cluster, wish, bare, wish.sizeBytes);
  return addVolume(cluster, wish.node, {
    storage: wish.storage,
    name,
    content: "images",
    format,
    sizeBytes: wish.sizeBytes,
    usedBytes: wish.base ? 4096 : emptyBytes(storage, format, wish.sizeBytes),
    vmid: wish.vmid,
    origin: wish.origin,
  });
}

/** Names a volume for another machine; its content stays where it is. */
export function renameVolume(cluster: Cluster, volume: Volume, vmid: number, node: string): void {
  const storage = findStorage(cluster, volume.storage);
  const wish = { storage: volume.storage, node, vmid };
  volume.name = volumeName(storage, wish, nextDiskName(cluster, wish), volume.format);
  volume.vmid = vmid;
  cluster.changed();
}

/** A linked clone names its base first, but not on thin LVM: there it is a snapshot that outlives its origin. */
function volumeName(
  storage: DatacenterStorage,
  wish: Pick<DiskWish, "vmid" | "base">,
  bare: string,
  format: string,
): string {
  const name = isFileStorage(storage) ? `${wish.vmid}/${bare}.${format}` : bare;
  return wish.base && storage.type !== "lvmthin" ? `${wish.base.name}/${name}` : name;
}

export function nextDiskName(cluster: Cluster, wish: Pick<DiskWish, "storage" | "node" | "vmid">): string {
  const taken = new Set(
    volumesOn(cluster, wish.storage, wish.node)
      .filter((volume) => volume.vmid === wish.vmid)
      .map((volume) => /-disk-(\d+)(?:\.\w+)?$/.exec(volume.name)?.[1]),
  );
  let number = 0;
  while (taken.has(String(number))) number += 1;
  return `vm-${wish.vmid}-disk-${number}`;
}
