import { badParameter, refusal } from "../api-error.ts";
import { seconds, type Cluster } from "../cluster.ts";
import type { DatacenterStorage } from "../../datacenter-file.ts";
import type { SimStorage, Volume } from "../state.ts";

const fileTypes = new Set(["dir", "nfs", "cifs", "btrfs", "cephfs"]);

/** File storages hold named files in folders, block storages bare volumes. */
export const isFileStorage = (storage: DatacenterStorage): boolean => fileTypes.has(storage.type);

/** Those of the datacenter's file, and what calls have made of them. */
export function storagesOf(cluster: Cluster): Record<string, SimStorage> {
  if (!cluster.state.storages) return cluster.file.storages;
  const all = Object.entries({ ...cluster.file.storages, ...cluster.state.storages });
  return Object.fromEntries(all.flatMap(([name, storage]) => (storage === null ? [] : [[name, storage]])));
}

export function findStorage(cluster: Cluster, name: string): SimStorage {
  const storage = storagesOf(cluster)[name];
  if (!storage) throw refusal(`storage '${name}' does not exist`);
  return storage;
}

/** Whether it is meant for a node. */
export const isGivenTo = ({ nodes }: SimStorage, node: string): boolean =>
  nodes === undefined || nodes.includes(node);

/** Whether a node has it and it is not switched off. */
export const isOnNode = (storage: SimStorage, node: string): boolean =>
  storage.isDisabled !== true && isGivenTo(storage, node);

/** The storage as a node sees it. */
export function storageOnNode(cluster: Cluster, name: string, node: string): SimStorage {
  const storage = findStorage(cluster, name);
  if (storage.isDisabled) throw refusal(`storage '${name}' is disabled`);
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
  ["backup", new RegExp(`^backup/(?:${fileName}|(?:ct|vm)/\\d+/\\d{4}-\\d\\d-\\d\\dT[\\d:]{8}Z)$`)],
  ["import", new RegExp(`^import/(?!\\.)${fileName}\\.(?:ova|qcow2|raw|vmdk)$`)],
  ["images", /^(?:\d+\/)?(?:\S+\/)?(?:vm|base)-\d+-\S+$/],
];

/** What a disk is called in the folder of its machine. */
const diskFile = /^(?:vm|base|subvol)-\d+-[^/\s]+\.(?:raw|qcow2|vmdk|subvol)$/;

/** Who complains about a name, where it is not LVM. */
const parsers: Partial<Record<DatacenterStorage["type"], string>> = { zfspool: "zfs", pbs: "pbs" };

/** What kind of volume a name is; the server refuses names it cannot read. */
export function contentOf(storage: DatacenterStorage, name: string): Volume["content"] {
  const found = contentPatterns.find(([, pattern]) => pattern.test(name));
  const file = /^\d+\/(?:\S+\/\d+\/)?(\S+)$/.exec(name)?.[1];
  if (isFileStorage(storage) && file !== undefined && !diskFile.test(file)) {
    throw refusal(`unable to parse volume filename '${file}'`);
  }
  if (found) return found[0];
  throw refusal(
    isFileStorage(storage)
      ? `unable to parse directory volume name '${name}'`
      : `unable to parse ${parsers[storage.type] ?? "lvm"} volume name '${name}'`,
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
  if (kind === "backup") return `${base}/dump/${volume.slice("backup/".length)}`;
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
  const isShared = storagesOf(cluster)[volume.storage]?.shared === true;
  const added: Volume = {
    checksums: {},
    ...volume,
    node: isShared ? undefined : node,
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

/** Everything else is a path, or nonsense. */
export const isVolumeId = (text: string): boolean => /^[a-z][a-z0-9\-_.]*[a-z0-9]:./i.test(text);

/** The machine a disk belongs to; a linked clone may name its base first. */
export const ownerOf = (name: string): string | undefined => /^.*(?:vm|base)-(\d+)-/.exec(name)?.[1];

/** The machine a backup is of. */
export const backedUpIn = (name: string): number | undefined => {
  const [, file, snapshot] = /^backup\/(?:vzdump-qemu-(\d+)-|vm\/(\d+)\/)/.exec(name) ?? [];
  const vmid = file ?? snapshot;
  return vmid === undefined ? undefined : Number(vmid);
};

/** Linked clones that stand on a template's disk. */
export const clonesOf = (cluster: Cluster, base: Volume): Volume[] =>
  cluster.state.volumes.filter(
    (volume) => volume.storage === base.storage && volume.name.startsWith(`${base.name}/`),
  );

export const noSuchStorage = () => badParameter({ storage: "No such storage." });
