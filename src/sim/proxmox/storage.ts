import { badParameter, refusal } from "./api-error.ts";
import { seconds, type Cluster } from "./cluster.ts";
import type { DatacenterStorage } from "../datacenter-file.ts";
import { storageLockFile } from "./locks.ts";
import type { Volume } from "./state.ts";

const fileTypes = new Set(["dir", "nfs", "cifs", "btrfs", "cephfs"]);
const allocationWaitMs = 60_000;

/** File storages hold named files in folders, block storages bare volumes. */
export const isFileStorage = (storage: DatacenterStorage): boolean => fileTypes.has(storage.type);

export function findStorage(cluster: Cluster, name: string): DatacenterStorage {
  const storage = cluster.file.storages[name];
  if (!storage) throw refusal(`storage '${name}' does not exist`);
  return storage;
}

export const isOnNode = (storage: DatacenterStorage, node: string): boolean =>
  storage.nodes === undefined || storage.nodes.includes(node);

/** The storage as a node sees it. */
export function storageOnNode(cluster: Cluster, name: string, node: string): DatacenterStorage {
  const storage = findStorage(cluster, name);
  if (!isOnNode(storage, node)) throw refusal(`storage '${name}' is not available on node '${node}'`);
  return storage;
}

export const storagePath = (name: string, storage: DatacenterStorage): string =>
  storage.path ??
  (name === "local" ? "/var/lib/vz" : storage.type === "dir" ? `/${name}` : `/mnt/pve/${name}`);

/** `local:iso/x.iso` in its two halves. */
export function splitVolumeId(volid: string): { storage: string; name: string } {
  const at = volid.indexOf(":");
  return { storage: volid.slice(0, at), name: volid.slice(at + 1) };
}

export const volumeId = (volume: Volume): string => `${volume.storage}:${volume.name}`;

const fileName = "[^/\\s]+";
const contentPatterns: [Volume["content"], RegExp][] = [
  ["iso", new RegExp(`^iso/${fileName}\\.(?:iso|img)$`, "i")],
  ["vztmpl", new RegExp(`^vztmpl/${fileName}\\.tar\\.(?:gz|xz|zst|bz2)$`)],
  ["snippets", new RegExp(`^snippets/${fileName}$`)],
  ["backup", new RegExp(`^backup/${fileName}$`)],
  ["import", new RegExp(`^import/(?!\\.)${fileName}\\.(?:ova|qcow2|raw|vmdk)$`)],
  ["images", /^(?:\d+\/)?(?:\S+\/)?(?:vm|base)-\d+-\S+$/],
];

/** What kind of volume a name is; the server refuses names it cannot read. */
export function contentOf(storage: DatacenterStorage, name: string): Volume["content"] {
  const found = contentPatterns.find(([, pattern]) => pattern.test(name));
  if (found) return found[0];
  throw refusal(
    isFileStorage(storage)
      ? `unable to parse directory volume name '${name}'`
      : `unable to parse ${storage.type === "zfspool" ? "zfs" : "lvm"} volume name '${name}'`,
  );
}

/** Where a volume lies on its node, for texts. */
export function volumePath(cluster: Cluster, volid: string): string {
  const { storage: name, name: volume } = splitVolumeId(volid);
  const storage = findStorage(cluster, name);
  const kind = contentOf(storage, volume);
  const base = storagePath(name, storage);
  if (!isFileStorage(storage)) return `/dev/${name}/${volume}`;
  if (kind === "iso") return `${base}/template/iso/${volume.slice("iso/".length)}`;
  if (kind === "vztmpl") return `${base}/template/cache/${volume.slice("vztmpl/".length)}`;
  return kind === "images" ? `${base}/images/${volume}` : `${base}/${volume}`;
}

/** Volumes of a storage that a node sees. */
export const volumesOn = (cluster: Cluster, storage: string, node: string): Volume[] =>
  cluster.state.volumes.filter(
    (volume) => volume.storage === storage && (volume.node === undefined || volume.node === node),
  );

export function findVolume(cluster: Cluster, volid: string, node: string): Volume | undefined {
  const { storage, name } = splitVolumeId(volid);
  return volumesOn(cluster, storage, node).find((volume) => volume.name === name);
}

export function addVolume(
  cluster: Cluster,
  node: string,
  volume: Omit<Volume, "node" | "createdAt" | "checksums"> & { checksums?: Record<string, string> },
): Volume {
  const isShared = cluster.file.storages[volume.storage]?.shared === true;
  const added: Volume = {
    checksums: {},
    ...volume,
    ...(!isShared && { node }),
    createdAt: seconds(cluster),
  };
  cluster.state.volumes.push(added);
  cluster.changed();
  return added;
}

export function removeVolume(cluster: Cluster, volume: Volume): void {
  cluster.state.volumes = cluster.state.volumes.filter((other) => other !== volume);
  cluster.changed();
}

/** What is taken of a storage on a node, in bytes. */
export function usage(
  cluster: Cluster,
  name: string,
  node: string,
): { total: number; used: number; avail: number } {
  const total = findStorage(cluster, name).size;
  const used = volumesOn(cluster, name, node).reduce((sum, volume) => sum + volume.usedBytes, 0);
  return { total, used, avail: Math.max(0, total - used) };
}

export interface DiskWish {
  storage: string;
  node: string;
  vmid: number;
  sizeBytes: number;
  format: string;
  /** `disk` gets the next free number, `cloudinit` none. */
  role: "disk" | "cloudinit";
  origin?: string;
  /** The disk of a template that a linked clone stands on. */
  base?: Volume;
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
  if (
    !isFile &&
    wish.sizeBytes > usage(cluster, wish.storage, wish.node).avail &&
    storage.type !== "lvmthin"
  ) {
    throw refusal(`lvcreate '${wish.storage}/vm-${wish.vmid}' error: insufficient free space`);
  }
  const bare = wish.role === "cloudinit" ? `vm-${wish.vmid}-cloudinit` : nextDiskName(cluster, wish);
  return addVolume(cluster, wish.node, {
    storage: wish.storage,
    name: standingOn(storage, wish.base) + (isFile ? `${wish.vmid}/${bare}.${format}` : bare),
    content: "images",
    format,
    sizeBytes: wish.sizeBytes,
    usedBytes: format === "raw" ? 4096 : 266_240,
    vmid: wish.vmid,
    ...(wish.origin !== undefined && { origin: wish.origin }),
  });
}

/** A linked clone names its base first, but not on thin LVM: there it is a snapshot that outlives its origin. */
const standingOn = (storage: DatacenterStorage, base: Volume | undefined): string =>
  base === undefined || storage.type === "lvmthin" ? "" : `${base.name}/`;

/** Names a volume for another machine; its content stays where it is. */
export function renameVolume(cluster: Cluster, volume: Volume, vmid: number, node: string): void {
  const storage = findStorage(cluster, volume.storage);
  const wish = { storage: volume.storage, node, vmid };
  volume.name = volumeName(storage, wish, nextDiskName(cluster, wish), volume.format);
  volume.vmid = vmid;
  cluster.changed();
}

/** A linked clone names its base first, except on a thin pool, where nobody remembers it. */
function volumeName(
  storage: DatacenterStorage,
  wish: Pick<DiskWish, "vmid" | "base">,
  bare: string,
  format: string,
): string {
  const name = isFileStorage(storage) ? `${wish.vmid}/${bare}.${format}` : bare;
  return wish.base && storage.type !== "lvmthin" ? `${wish.base.name}/${name}` : name;
}

function nextDiskName(cluster: Cluster, wish: Pick<DiskWish, "storage" | "node" | "vmid">): string {
  const taken = new Set(
    volumesOn(cluster, wish.storage, wish.node)
      .filter((volume) => volume.vmid === wish.vmid)
      .map((volume) => /-disk-(\d+)(?:\.\w+)?$/.exec(volume.name)?.[1]),
  );
  let number = 0;
  while (taken.has(String(number))) number += 1;
  return `vm-${wish.vmid}-disk-${number}`;
}

/** The machine a disk belongs to; a linked clone may name its base first. */
export const ownerOf = (name: string): string | undefined => /^.*(?:vm|base)-(\d+)-/.exec(name)?.[1];

/** Linked clones that stand on a template's disk. */
export const clonesOf = (cluster: Cluster, base: Volume): Volume[] =>
  cluster.state.volumes.filter(
    (volume) => volume.storage === base.storage && volume.name.startsWith(`${base.name}/`),
  );

export const noSuchStorage = () => badParameter({ storage: "No such storage." });
