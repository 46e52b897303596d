import { flag, text, type EndpointTable } from "./schema.ts";

const view = { pending: flag(), running: flag() };

/** Networks that Proxmox makes itself. */
export const sdnEndpoints = {
  "GET /cluster/sdn/zones": {
    access: "anyone",
    params: { ...view, type: text({ enum: ["evpn", "faucet", "qinq", "simple", "vlan", "vxlan"] }) },
  },
  "GET /cluster/sdn/vnets": { access: "anyone", params: view },
} as const satisfies EndpointTable;
