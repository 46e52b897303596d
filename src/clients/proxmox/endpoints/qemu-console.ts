import { node, vmid } from "./common.ts";
import { integer, text, type EndpointTable } from "./schema.ts";

const access = { on: "/vms/{vmid}", privs: ["VM.Console"] } as const;

/** The way to a machine's serial port: a ticket and a port of the server that is asked, then a websocket to it. */
export const qemuConsoleEndpoints = {
  "POST /nodes/{node}/qemu/{vmid}/termproxy": {
    access,
    params: { node, vmid, serial: text({ enum: ["serial0", "serial1", "serial2", "serial3"] }) },
  },
  "GET /nodes/{node}/qemu/{vmid}/vncwebsocket": {
    access,
    params: {
      node,
      vmid,
      port: integer({ required: true, min: 5900, max: 5999 }),
      vncticket: text({ required: true, maxLength: 512 }),
    },
  },
} as const satisfies EndpointTable;
