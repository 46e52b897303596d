import { digest, node, optionalPool, optionalStorage, optionalVmid, vmid, volumeSlots } from "./common.ts";
import { flag, integer, text, type EndpointTable } from "./schema.ts";

const snapname = text({ required: true, format: "pve-configid", maxLength: 40 });
const maySnapshot = { on: "/vms/{vmid}", privs: ["VM.Snapshot"] } as const;

/** Clones and snapshots of virtual machines, and disks that change their place. */
export const qemuCopyEndpoints = {
  "POST /nodes/{node}/qemu/{vmid}/clone": {
    runsOn: "node",
    access: {
      allOf: [
        { on: "/vms/{vmid}", privs: ["VM.Clone"] },
        {
          anyOf: [
            { on: "/vms/{newid}", privs: ["VM.Allocate"] },
            { on: "/pool/{pool}", privs: ["VM.Allocate"], given: "pool" },
          ],
        },
      ],
    },
    params: {
      node,
      vmid,
      newid: vmid,
      name: text({ format: "dns-name" }),
      description: text(),
      pool: optionalPool,
      target: text({ format: "pve-node" }),
      full: flag(),
      storage: optionalStorage,
      format: text({ enum: ["raw", "qcow2", "vmdk"] }),
      snapname: text({ format: "pve-configid", maxLength: 40 }),
      bwlimit: integer({ min: 0 }),
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/move_disk": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Config.Disk"] },
    params: {
      node,
      vmid,
      disk: text({ required: true, enum: volumeSlots }),
      storage: optionalStorage,
      format: text({ enum: ["raw", "qcow2", "vmdk"] }),
      delete: flag(),
      digest,
      bwlimit: integer({ min: 0 }),
      "target-vmid": optionalVmid,
      "target-disk": text({ enum: volumeSlots }),
      "target-digest": digest,
    },
  },
  "GET /nodes/{node}/qemu/{vmid}/snapshot": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Audit"] },
    params: { node, vmid },
  },
  "POST /nodes/{node}/qemu/{vmid}/snapshot": {
    runsOn: "node",
    access: maySnapshot,
    params: { node, vmid, snapname, description: text(), vmstate: flag() },
  },
  "DELETE /nodes/{node}/qemu/{vmid}/snapshot/{snapname}": {
    runsOn: "node",
    access: maySnapshot,
    params: { node, vmid, snapname, force: flag() },
  },
  "GET /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot", "VM.Snapshot.Rollback", "VM.Audit"], any: true },
    params: { node, vmid, snapname },
  },
  "PUT /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/config": {
    runsOn: "node",
    access: maySnapshot,
    params: { node, vmid, snapname, description: text() },
  },
  "POST /nodes/{node}/qemu/{vmid}/snapshot/{snapname}/rollback": {
    runsOn: "node",
    access: { on: "/vms/{vmid}", privs: ["VM.Snapshot", "VM.Snapshot.Rollback"], any: true },
    params: { node, vmid, snapname, start: flag() },
  },
} as const satisfies EndpointTable;
