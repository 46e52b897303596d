import type { DatacenterStorage } from "../datacenter-file.ts";
import { poolOf } from "./disk-room.ts";
import { isFileStorage, storagePath } from "./storage.ts";

/** A storage as `/storage` shows it: what it is, and the settings of its kind. */
export const storageDefinition = (name: string, storage: DatacenterStorage): Record<string, unknown> => ({
  storage: name,
  type: storage.type,
  content: storage.content.join(","),
  digest: "f09893759819a3832221813e6be7d6d2254b4053",
  ...(isFileStorage(storage) && { path: storagePath(name, storage) }),
  ...ownSettings(name, storage),
  ...(storage.shared && { shared: 1 }),
  ...(storage.nodes && { nodes: storage.nodes.join(",") }),
});

function ownSettings(name: string, storage: DatacenterStorage): Record<string, unknown> {
  switch (storage.type) {
    case "lvm":
      return { vgname: name };
    case "lvmthin":
      return { vgname: "pve", thinpool: "data" };
    case "zfspool":
      return {
        pool: poolOf(name, storage),
        mountpoint: `/${poolOf(name, storage)}`,
        ...(storage.sparse && { sparse: 1 }),
      };
    case "rbd":
      return { pool: name, krbd: 0 };
    case "nfs":
      return { server: "nas", export: `/export/${name}` };
    case "cifs":
      return { server: "nas", share: name };
    case "dir":
    case "btrfs":
    case "cephfs":
      return {};
  }
}

const formats: Partial<Record<DatacenterStorage["type"], readonly string[]>> = {
  dir: ["qcow2", "raw", "subvol", "vmdk"],
  nfs: ["qcow2", "raw", "vmdk"],
  cifs: ["qcow2", "raw", "vmdk"],
  btrfs: ["raw", "subvol"],
  zfspool: ["raw", "subvol"],
};

/** The disk formats a storage can hold, as `format=1` lists them. */
export function diskFormats(storage: DatacenterStorage, version: 8 | 9): Record<string, unknown> {
  const supported = formats[storage.type] ?? ["raw"];
  return {
    format: [Object.fromEntries(supported.map((format) => [format, 1])), "raw"],
    ...(version === 9 && { formats: { supported, default: "raw" } }),
  };
}
