/** Tells Kubernetes which machine in which Proxmox every node is. */
import { defineAddon, namesByDhcp, needsProxmox, optionsOf } from "../common/index.ts";

export const proxmoxCcm = defineAddon({
  name: "proxmox-ccm",
  chartName: "proxmox-cloud-controller-manager",
  versions: [{ version: "0.2.28" }],
  ...optionsOf("proxmox-ccm", "Tells Kubernetes which machine and which Proxmox node every node is."),
  facts: () => ({ isCloudController: true }),
  check: needsProxmox,
  warn: namesByDhcp,
  leaves: "provider IDs and zones of the nodes; new nodes are no longer initialized",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
