/** The real outside, wired: connections, files, clock, randomness. Tests and rehearsals pass in another one. */
export { type DhcpAddresses, dhcpAddresses } from "./dhcp-addresses.ts";
export { type GitWorld, gitWorld, slipwayFolder } from "./git.ts";
export { sharedClients } from "./libvirt.ts";
export { slipwayVersion } from "./version.ts";
export { type World, loginAs, realWorld, tellingProxmoxCalls } from "./world.ts";
