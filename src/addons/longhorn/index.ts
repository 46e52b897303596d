/** Volumes kept on several nodes at once. */
import { tested } from "../../spec/index.ts";
import { defineAddon } from "../common/index.ts";
import { longhornDiskWarnings, longhornExtensions, longhornWarnings } from "./checks.ts";
import { completeLonghorn, longhornClasses, longhornSchema } from "./options.ts";

export const longhorn = defineAddon({
  name: "longhorn",
  title: "Longhorn",
  versions: [tested("1.12.1", "1.33", "1.36"), tested("1.11.3", "1.25", "1.32")],
  schema: longhornSchema,
  complete: completeLonghorn,
  storageClasses: longhornClasses,
  facts: () => ({
    machines: { extensions: longhornExtensions, packages: ["open-iscsi", "nfs-common"] },
  }),
  warn: longhornWarnings,
  warnCluster: longhornDiskWarnings,
  after: ["proxmox-ccm"],
  loses: "every volume it holds, with all their data",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
