import { digest, driveSlots, node, optionalPool, optionalStorage, vmid } from "./common.ts";
import { configParams } from "./qemu-config.ts";
import { flag, integer, text, type EndpointTable } from "./schema.ts";

const mayRead = { on: "/vms/{vmid}", privs: ["VM.Audit"] } as const;
const mayAllocate = { on: "/vms/{vmid}", privs: ["VM.Allocate"] } as const;
const mayChangeDisks = { on: "/vms/{vmid}", privs: ["VM.Config.Disk"] } as const;
const mayConfigure = {
  on: "/vms/{vmid}",
  privs: [
    "VM.Config.Disk",
    "VM.Config.CDROM",
    "VM.Config.CPU",
    "VM.Config.Memory",
    "VM.Config.Network",
    "VM.Config.HWType",
    "VM.Config.Options",
    "VM.Config.Cloudinit",
  ],
  any: true,
} as const;
const change = {
  node,
  vmid,
  delete: text({ format: "pve-configid-list" }),
  revert: text({ format: "pve-configid-list" }),
  force: flag({ requires: "delete" }),
  digest,
  skiplock: flag(),
} as const;

/** Virtual machines: their configuration and disks. */
export const qemuEndpoints = {
  "GET /nodes/{node}/qemu": { runsOn: "node", access: "anyone", params: { node, full: flag() } },
  "POST /nodes/{node}/qemu": {
    runsOn: "node",
    access: "anyone",
    params: {
      node,
      vmid,
      ...configParams,
      archive: text({ maxLength: 255 }),
      bwlimit: integer({ min: 0 }),
      force: flag({ requires: "archive" }),
      "ha-managed": flag({ since: 9 }),
      "import-working-storage": optionalStorage,
      "live-restore": flag(),
      pool: optionalPool,
      start: flag(),
      storage: optionalStorage,
      unique: flag({ requires: "archive" }),
    },
  },
  "GET /nodes/{node}/qemu/{vmid}": { runsOn: "node", access: "anyone", params: { node, vmid } },
  "DELETE /nodes/{node}/qemu/{vmid}": {
    runsOn: "node",
    access: mayAllocate,
    params: { node, vmid, purge: flag(), "destroy-unreferenced-disks": flag(), skiplock: flag() },
  },
  "GET /nodes/{node}/qemu/{vmid}/config": {
    runsOn: "node",
    access: mayRead,
    params: { node, vmid, current: flag(), snapshot: text({ format: "pve-configid", maxLength: 40 }) },
  },
  "PUT /nodes/{node}/qemu/{vmid}/config": {
    runsOn: "node",
    access: mayConfigure,
    params: { ...change, ...configParams },
  },
  "POST /nodes/{node}/qemu/{vmid}/config": {
    runsOn: "node",
    access: mayConfigure,
    params: {
      ...change,
      ...configParams,
      background_delay: integer({ min: 1, max: 30 }),
      "import-working-storage": optionalStorage,
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/pending": { runsOn: "node", access: mayRead, params: { node, vmid } },
  "GET /nodes/{node}/qemu/{vmid}/feature": {
    runsOn: "node",
    access: mayRead,
    params: {
      node,
      vmid,
      feature: text({ required: true, enum: ["snapshot", "clone", "copy"] }),
      snapname: text({ format: "pve-configid", maxLength: 40 }),
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/resize": {
    runsOn: "node",
    access: mayChangeDisks,
    params: {
      node,
      vmid,
      disk: text({ required: true, enum: driveSlots }),
      size: text({ required: true, pattern: "\\+?\\d+(\\.\\d+)?[KMGT]?" }),
      digest,
      skiplock: flag(),
    },
  },
  "PUT /nodes/{node}/qemu/{vmid}/unlink": {
    runsOn: "node",
    access: mayChangeDisks,
    params: { node, vmid, idlist: text({ required: true, format: "pve-configid-list" }), force: flag() },
  },
  "POST /nodes/{node}/qemu/{vmid}/template": {
    runsOn: "node",
    access: mayAllocate,
    params: { node, vmid, disk: text({ enum: driveSlots }) },
  },
  "GET /nodes/{node}/qemu/{vmid}/cloudinit": { runsOn: "node", access: mayRead, params: { node, vmid } },
  "PUT /nodes/{node}/qemu/{vmid}/cloudinit": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Cloudinit"] },
    params: { node, vmid },
  },
  "GET /nodes/{node}/qemu/{vmid}/cloudinit/dump": {
    runsOn: "node",
    access: mayRead,
    params: { node, vmid, type: text({ required: true, enum: ["user", "network", "meta"] }) },
  },
} as const satisfies EndpointTable;
