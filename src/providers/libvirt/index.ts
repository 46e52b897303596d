/** Machines on libvirt: how they, their images, disks and networks are found, compared, made and removed. */
export { libvirtProvider, type LibvirtProviderOptions } from "./declare.ts";
export { libvirtDiscovery } from "./discovery/discover.ts";
export { findDhcpAddress } from "./survey/dhcp-address.ts";
export { readHostCapabilities, readMachineCapabilities } from "./survey/capabilities.ts";
export { machineXml, type MachineXml } from "./machine/machine-xml.ts";
export { networkXml, readNetwork, reservationXml, type NetworkXml } from "./network/network-xml.ts";
export { poolXml, readPool, type PoolXml } from "./pool/pool-xml.ts";
export { readMachine, type FoundMachine } from "./machine/read-machine.ts";
export { readVolume, volumeXml, type VolumeXml } from "./pool/volume-xml.ts";
