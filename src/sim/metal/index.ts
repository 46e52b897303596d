/** Machines of their own: with power, a network card and disks, but without a hypervisor; some with a Redfish controller. */
export { metalMachines, type MetalFile } from "./metal-file.ts";
export { startMetal, type MetalState, type SimMetal } from "./start.ts";
