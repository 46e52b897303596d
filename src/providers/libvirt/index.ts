/** Machines on libvirt: their definitions in libvirt's XML and what libvirt says about them, as plain data. */
export { readHostCapabilities, readMachineCapabilities } from "./capabilities.ts";
export { machineXml, type MachineXml } from "./machine-xml.ts";
export { networkXml, readNetwork, reservationXml, type NetworkXml } from "./network-xml.ts";
export { poolXml, readPool, type PoolXml } from "./pool-xml.ts";
export { readMachine, type FoundMachine } from "./read-machine.ts";
export { readVolume, volumeXml, type VolumeXml } from "./volume-xml.ts";
