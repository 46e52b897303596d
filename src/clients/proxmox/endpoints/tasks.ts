import { node, optionalVmid } from "./common.ts";
import { flag, integer, text, type EndpointTable } from "./schema.ts";

const upid = text({ required: true });

/** Long-running work: every UPID belongs to the node it names. */
export const taskEndpoints = {
  "GET /nodes/{node}/tasks": {
    runsOn: "node",
    access: "anyone",
    params: {
      node,
      start: integer({ min: 0 }),
      limit: integer({ min: 0 }),
      userfilter: text(),
      typefilter: text(),
      vmid: optionalVmid,
      errors: flag(),
      source: text({ enum: ["archive", "active", "all"] }),
      since: integer(),
      until: integer(),
      statusfilter: text({ format: "pve-task-status-type-list" }),
    },
  },
  "GET /nodes/{node}/tasks/{upid}": { access: "anyone", params: { node, upid } },
  "DELETE /nodes/{node}/tasks/{upid}": { runsOn: "node", access: "anyone", params: { node, upid } },
  "GET /nodes/{node}/tasks/{upid}/status": { runsOn: "node", access: "anyone", params: { node, upid } },
  "GET /nodes/{node}/tasks/{upid}/log": {
    runsOn: "node",
    access: "anyone",
    params: { node, upid, start: integer({ min: 0 }), limit: integer({ min: 0 }), download: flag() },
  },
} as const satisfies EndpointTable;
