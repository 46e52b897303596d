import { node, vmid } from "./common.ts";
import type { EndpointTable } from "./schema.ts";

const question = {
  runsOn: "node",
  access: {
    on: "/vms/{vmid}",
    privs: ["VM.GuestAgent.Audit", "VM.GuestAgent.Unrestricted"],
    any: true,
    privsIn8: ["VM.Monitor"],
  },
  params: { node, vmid },
} as const;

/** What the agent inside a machine can be asked. */
export const qemuAgentEndpoints = {
  "POST /nodes/{node}/qemu/{vmid}/agent/ping": question,
  "GET /nodes/{node}/qemu/{vmid}/agent/network-get-interfaces": question,
  "GET /nodes/{node}/qemu/{vmid}/agent/get-host-name": question,
  "GET /nodes/{node}/qemu/{vmid}/agent/get-osinfo": question,
  "GET /nodes/{node}/qemu/{vmid}/agent/get-time": question,
  "GET /nodes/{node}/qemu/{vmid}/agent/get-timezone": question,
  "GET /nodes/{node}/qemu/{vmid}/agent/get-users": question,
  "GET /nodes/{node}/qemu/{vmid}/agent/get-vcpus": question,
  "GET /nodes/{node}/qemu/{vmid}/agent/info": question,
} as const satisfies EndpointTable;
