import { node, optionalVmid } from "./common.ts";
import { flag, integer, text, type EndpointTable } from "./schema.ts";

/** The cluster and its nodes as a whole. */
export const clusterEndpoints = {
  "GET /version": { access: "anyone", params: {} },
  "GET /cluster/resources": {
    access: "anyone",
    params: { type: text({ enum: ["vm", "storage", "node", "sdn"] }) },
  },
  "GET /cluster/status": { access: { on: "/", privs: ["Sys.Audit"] }, params: {} },
  "GET /cluster/nextid": { access: "anyone", params: { vmid: optionalVmid } },
  "GET /cluster/options": { access: "anyone", params: {} },
  "GET /cluster/tasks": { access: "anyone", params: {} },
  "GET /cluster/log": { access: "anyone", params: { max: integer({ min: 1 }) } },
  "GET /cluster/backup": { access: { on: "/", privs: ["Sys.Audit"] }, params: {} },
  "GET /cluster/replication": { access: "anyone", params: {} },
  "GET /cluster/config/nodes": { access: { on: "/", privs: ["Sys.Audit"] }, params: {} },
  "GET /cluster/config/join": {
    access: { on: "/", privs: ["Sys.Audit"] },
    params: { node: text({ format: "pve-node" }) },
  },
  "GET /nodes": { access: "anyone", params: {} },
  "GET /nodes/{node}/status": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: { node },
  },
  "GET /nodes/{node}/version": { runsOn: "node", access: "anyone", params: { node } },
  "GET /nodes/{node}/network": {
    runsOn: "node",
    access: "anyone",
    params: {
      node,
      type: text({
        enum: [
          "bridge",
          "bond",
          "eth",
          "alias",
          "vlan",
          "fabric",
          "OVSBridge",
          "OVSBond",
          "OVSPort",
          "OVSIntPort",
          "vnet",
          "any_bridge",
          "any_local_bridge",
          "include_sdn",
        ],
        in8: {
          enum: [
            "bridge",
            "bond",
            "eth",
            "alias",
            "vlan",
            "OVSBridge",
            "OVSBond",
            "OVSPort",
            "OVSIntPort",
            "vnet",
            "any_bridge",
            "any_local_bridge",
          ],
        },
      }),
    },
  },
  "GET /nodes/{node}/network/{iface}": {
    runsOn: "node",
    access: { on: "/nodes/{node}", privs: ["Sys.Audit"] },
    params: { node, iface: text({ required: true, format: "pve-iface", minLength: 2, maxLength: 20 }) },
  },
  "GET /nodes/{node}/query-url-metadata": {
    runsOn: "node",
    access: {
      anyOf: [
        { on: "/", privs: ["Sys.Audit", "Sys.Modify"] },
        { on: "/nodes/{node}", privs: ["Sys.AccessNetwork"] },
      ],
    },
    params: {
      node,
      url: text({ required: true, pattern: "https?://.*" }),
      "verify-certificates": flag(),
    },
  },
} as const satisfies EndpointTable;
