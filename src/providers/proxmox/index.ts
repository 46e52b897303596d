/** Machines and images on Proxmox VE: how they are found, compared, made and removed, and what must be true before. */
export { proxmoxProvider, type ProxmoxProviderOptions, type ProxmoxSession } from "./declare.ts";
export { proxmoxDiscovery } from "./discovery/discover.ts";
export { findDhcpAddress } from "./survey/dhcp-address.ts";
export { groupByServer } from "./host-registry.ts";
export {
  checkedRights,
  grantCommands,
  rolesOf,
  type NeededRole,
  type ProxmoxLine,
} from "./preflight/index.ts";
