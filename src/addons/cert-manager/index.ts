/** Certificates for what runs in the cluster. */
import { tested } from "../../spec/index.ts";
import { defineAddon, optionsOf } from "../common/index.ts";

export const certManager = defineAddon({
  name: "cert-manager",
  versions: [tested("1.21.1", "1.33", "1.36"), tested("1.20.0", "1.32", "1.35")],
  ...optionsOf("cert-manager", "Certificates for what runs in the cluster."),
  after: ["proxmox-ccm"],
  leaves: "certificates and their kinds; they are no longer renewed",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
