import { node, vmid } from "./common.ts";
import { flag, integer, text, type EndpointTable } from "./schema.ts";

const mayMigrate = { on: "/vms/{vmid}", privs: ["VM.Migrate"] } as const;

/** Moving virtual machines between the nodes of a cluster. */
export const qemuMigrateEndpoints = {
  "GET /nodes/{node}/qemu/{vmid}/migrate": {
    runsOn: "node",
    access: mayMigrate,
    params: { node, vmid, target: text({ format: "pve-node" }) },
  },
  "POST /nodes/{node}/qemu/{vmid}/migrate": {
    runsOn: "node",
    access: mayMigrate,
    params: {
      node,
      vmid,
      target: text({ required: true, format: "pve-node" }),
      online: flag(),
      force: flag(),
      bwlimit: integer({ min: 0 }),
      migration_type: text({ enum: ["secure", "insecure"] }),
      migration_network: text({ format: "CIDR" }),
      "with-local-disks": flag(),
      "with-conntrack-state": flag({ since: 9 }),
      targetstorage: text({ format: "storage-pair-list" }),
    },
  },
} as const satisfies EndpointTable;
