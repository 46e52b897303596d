import { node, optionalStorage, optionalVmid, storage, vmid } from "./common.ts";
import { flag, integer, text, type EndpointTable } from "./schema.ts";

const mayRead = {
  on: "/storage/{storage}",
  privs: ["Datastore.Audit", "Datastore.AllocateSpace"],
  any: true,
} as const;
const imageKind = text({
  required: true,
  enum: ["iso", "vztmpl", "import"],
  format: "pve-storage-content",
});
const checksum = {
  checksum: text({ requires: "checksum-algorithm" }),
  "checksum-algorithm": text({
    enum: ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"],
    requires: "checksum",
  }),
} as const;

/** Storages, and the images, disks and files on them. */
export const storageEndpoints = {
  "GET /storage": {
    access: "anyone",
    params: {
      type: text({
        enum: [
          "btrfs",
          "cephfs",
          "cifs",
          "dir",
          "esxi",
          "iscsi",
          "iscsidirect",
          "lvm",
          "lvmthin",
          "nfs",
          "pbs",
          "rbd",
          "zfs",
          "zfspool",
        ],
        in8: {
          enum: [
            "btrfs",
            "cephfs",
            "cifs",
            "dir",
            "esxi",
            "glusterfs",
            "iscsi",
            "iscsidirect",
            "lvm",
            "lvmthin",
            "nfs",
            "pbs",
            "rbd",
            "zfs",
            "zfspool",
          ],
        },
      }),
    },
  },
  "GET /storage/{storage}": {
    access: { on: "/storage/{storage}", privs: ["Datastore.Allocate"] },
    params: { storage },
  },
  "GET /nodes/{node}/storage": {
    runsOn: "node",
    access: "anyone",
    params: {
      node,
      storage: optionalStorage,
      content: text({ format: "pve-storage-content-list" }),
      enabled: flag(),
      format: flag(),
      target: text({ format: "pve-node" }),
    },
  },
  "GET /nodes/{node}/storage/{storage}/status": {
    runsOn: "node",
    access: mayRead,
    params: { node, storage },
  },
  "GET /nodes/{node}/storage/{storage}/content": {
    runsOn: "node",
    access: mayRead,
    params: { node, storage, content: text({ format: "pve-storage-content" }), vmid: optionalVmid },
  },
  "POST /nodes/{node}/storage/{storage}/content": {
    runsOn: "node",
    access: { on: "/storage/{storage}", privs: ["Datastore.AllocateSpace"] },
    params: {
      node,
      storage,
      filename: text({ required: true }),
      size: text({ required: true, pattern: "\\d+[MG]?" }),
      vmid,
      format: text({ enum: ["raw", "qcow2", "subvol", "vmdk"], requires: "size" }),
    },
  },
  "GET /nodes/{node}/storage/{storage}/content/{volume}": {
    runsOn: "node",
    access: "anyone",
    params: { node, storage: optionalStorage, volume: text({ required: true }) },
  },
  "DELETE /nodes/{node}/storage/{storage}/content/{volume}": {
    runsOn: "node",
    access: "anyone",
    params: {
      node,
      storage: optionalStorage,
      volume: text({ required: true }),
      delay: integer({ min: 1, max: 30 }),
    },
  },
  "POST /nodes/{node}/storage/{storage}/upload": {
    access: { on: "/storage/{storage}", privs: ["Datastore.AllocateTemplate"] },
    params: {
      node,
      storage,
      content: imageKind,
      filename: text({ required: true, maxLength: 255 }),
      tmpfilename: text({ pattern: "/var/tmp/pveupload-[0-9a-f]+" }),
      ...checksum,
    },
  },
  "POST /nodes/{node}/storage/{storage}/download-url": {
    runsOn: "node",
    access: {
      allOf: [
        { on: "/storage/{storage}", privs: ["Datastore.AllocateTemplate"] },
        {
          anyOf: [
            { on: "/", privs: ["Sys.Audit", "Sys.Modify"] },
            { on: "/nodes/{node}", privs: ["Sys.AccessNetwork"] },
          ],
        },
      ],
    },
    params: {
      node,
      storage,
      url: text({ required: true, pattern: "https?://.*" }),
      content: imageKind,
      filename: text({ required: true, maxLength: 255 }),
      compression: text(),
      "verify-certificates": flag(),
      ...checksum,
    },
  },
  "GET /nodes/{node}/storage/{storage}/import-metadata": {
    runsOn: "node",
    access: "anyone",
    params: { node, storage, volume: text({ required: true }) },
  },
} as const satisfies EndpointTable;
