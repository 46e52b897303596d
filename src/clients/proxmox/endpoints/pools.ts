import { flag, text, type EndpointTable } from "./schema.ts";

const poolid = text({ required: true, format: "pve-poolid" });
const manage = { on: "/pool/{poolid}", privs: ["Pool.Allocate"] } as const;
const members = {
  vms: text({ format: "pve-vmid-list" }),
  storage: text({ format: "pve-storage-id-list" }),
  comment: text(),
  delete: flag(),
  "allow-move": flag(),
} as const;
const kind = ["qemu", "lxc", "storage"] as const;

/** Named groups of VMs and storages that rights can be given on. */
export const poolEndpoints = {
  "GET /pools": {
    access: "anyone",
    params: { poolid: text({ format: "pve-poolid" }), type: text({ enum: kind, requires: "poolid" }) },
  },
  "POST /pools": { access: manage, params: { poolid, comment: text() } },
  "PUT /pools": { access: manage, params: { poolid, ...members } },
  "DELETE /pools": { access: manage, params: { poolid } },
  "GET /pools/{poolid}": {
    access: { on: "/pool/{poolid}", privs: ["Pool.Audit"] },
    params: { poolid, type: text({ enum: kind }) },
  },
  "PUT /pools/{poolid}": { access: manage, params: { poolid, ...members } },
  "DELETE /pools/{poolid}": { access: manage, params: { poolid } },
} as const satisfies EndpointTable;
