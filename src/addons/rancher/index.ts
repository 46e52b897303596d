/** Rancher, which other clusters register with. */
import { defineAddon } from "../common/index.ts";
import { checkRancher, rancherWarnings } from "./checks.ts";
import { completeRancher, rancherSchema } from "./options.ts";
import { rancherVersions } from "./versions.ts";

export const rancher = defineAddon({
  name: "rancher",
  title: "Rancher",
  versions: rancherVersions,
  refusesUntested: true,
  schema: rancherSchema,
  complete: completeRancher,
  facts: ({ hostname, tls }) => ({
    managesClusters: { hostname },
    dependencies: tls.by === "cert-manager" ? ["cert-manager"] : undefined,
  }),
  check: checkRancher,
  warn: rancherWarnings,
  after: ["proxmox-ccm", "cert-manager", "cilium", "longhorn"],
  loses: "its users, settings and what it knows of other clusters",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
