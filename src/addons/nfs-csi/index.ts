/** Volumes on an NFS server. */
import { tested } from "../../spec/index.ts";
import { defineAddon } from "../common/index.ts";
import { completeNfs, nfsClasses, nfsCsiSchema } from "./options.ts";

export const nfsCsi = defineAddon({
  name: "nfs-csi",
  title: "NFS CSI",
  chartName: "csi-driver-nfs",
  versions: [tested("4.13.4", "1.21")],
  schema: nfsCsiSchema,
  complete: completeNfs,
  storageClasses: nfsClasses,
  after: ["proxmox-ccm"],
  leaves: "all data on the NFS server; no pod gets its volumes until it is back",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
