import { createHash } from "node:crypto";
import type { DatacenterStorage } from "../../datacenter-file.ts";
import type { Cluster } from "../cluster.ts";
import { poolOf } from "./disk-space.ts";
import type { ConfigValue, SimStorage } from "../state.ts";
import { findStorage, isFileStorage, storagePath, storagesOf } from "./volumes.ts";

/** A storage as `/storage` shows it: what it is, and the settings of its kind. */
export const storageDefinition = (cluster: Cluster, name: string): Record<string, unknown> => {
  const storage = findStorage(cluster, name);
  return {
    storage: name,
    type: storage.type,
    digest: storageDigest(cluster),
    ...storageSettings(name, storage),
  };
};

/** What can be set of a storage, as it stands now. */
export const storageSettings = (name: string, storage: SimStorage): Record<string, ConfigValue> => ({
  ...(isFileStorage(storage) && { path: storagePath(name, storage) }),
  ...ownSettings(name, storage),
  ...storage.settings,
  content: storage.content.length === 0 ? "none" : storage.content.join(","),
  ...(storage.shared && { shared: 1 }),
  ...(storage.nodes && { nodes: storage.nodes.join(",") }),
});

export const storageDigest = (cluster: Cluster): string =>
  createHash("sha1")
    .update(JSON.stringify(storagesOf(cluster)))
    .digest("hex");

function ownSettings(name: string, storage: DatacenterStorage): Record<string, ConfigValue> {
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
    case "pbs":
      return { server: "pbs", datastore: name, username: "backup@pbs" };
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
