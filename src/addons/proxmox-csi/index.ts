/** Volumes that are disks in Proxmox. */
import { defineAddon, namesByDhcp, needsProxmox } from "../common/index.ts";
import { completeProxmoxCsi, proxmoxClasses, proxmoxCsiSchema } from "./options.ts";

export const proxmoxCsi = defineAddon({
  name: "proxmox-csi",
  chartName: "proxmox-csi-plugin",
  versions: [{ version: "0.5.9" }],
  schema: proxmoxCsiSchema,
  complete: completeProxmoxCsi,
  storageClasses: proxmoxClasses,
  facts: () => ({ needsZones: true, dependencies: ["proxmox-ccm"] }),
  check: needsProxmox,
  warn: namesByDhcp,
  // It finds machines by what the cloud controller writes on nodes.
  after: ["proxmox-ccm"],
  leaves: "the disks in Proxmox; no pod gets its volumes until it is back",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
