import { node, optionalStorage, vmid } from "./common.ts";
import { machine } from "./qemu-devices.ts";
import { flag, integer, text, type EndpointTable } from "./schema.ts";

const access = { on: "/vms/{vmid}", privs: ["VM.PowerMgmt"] } as const;
const mayRead = { on: "/vms/{vmid}", privs: ["VM.Audit"] } as const;
const timeout = integer({ min: 0 });

/** Power of virtual machines. */
export const qemuStatusEndpoints = {
  "GET /nodes/{node}/qemu/{vmid}/status/current": {
    runsOn: "node",
    access: mayRead,
    params: { node, vmid },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/start": {
    runsOn: "node",
    access,
    params: {
      node,
      vmid,
      machine,
      timeout,
      skiplock: flag(),
      "force-cpu": text(),
      migratedfrom: text({ format: "pve-node" }),
      migration_network: text({ format: "CIDR" }),
      migration_type: text({ enum: ["secure", "insecure"] }),
      "nets-host-mtu": text({ pattern: "net\\d+=\\d+(,net\\d+=\\d+)*" }),
      stateuri: text({ maxLength: 128 }),
      targetstorage: text({ format: "storage-pair-list" }),
      "with-conntrack-state": flag({ since: 9 }),
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/stop": {
    runsOn: "node",
    access,
    params: {
      node,
      vmid,
      timeout,
      skiplock: flag(),
      keepActive: flag(),
      migratedfrom: text({ format: "pve-node" }),
      "overrule-shutdown": flag(),
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/shutdown": {
    runsOn: "node",
    access,
    params: { node, vmid, timeout, skiplock: flag(), keepActive: flag(), forceStop: flag() },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/reset": {
    runsOn: "node",
    access,
    params: { node, vmid, skiplock: flag() },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/reboot": {
    runsOn: "node",
    access,
    params: { node, vmid, timeout },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/suspend": {
    runsOn: "node",
    access,
    params: {
      node,
      vmid,
      skiplock: flag(),
      todisk: flag(),
      statestorage: { ...optionalStorage, requires: "todisk" },
    },
  },
  "POST /nodes/{node}/qemu/{vmid}/status/resume": {
    runsOn: "node",
    access,
    params: { node, vmid, skiplock: flag(), nocheck: flag() },
  },
  "GET /nodes/{node}/qemu/{vmid}/rrddata": {
    access: mayRead,
    params: {
      node,
      vmid,
      timeframe: text({ required: true, enum: ["hour", "day", "week", "month", "year"] }),
      cf: text({ enum: ["AVERAGE", "MAX"] }),
    },
  },
} as const satisfies EndpointTable;
