/** Slipway's own controller: clusters of a fleet, kept as objects of this one say. */
import { tested } from "../../spec/index.ts";
import { defineAddon } from "../common/index.ts";
import { completeSlipway, slipwaySchema, slipwayVersion } from "./options.ts";

export const slipway = defineAddon({
  name: "slipway",
  title: "Slipway",
  versions: [tested(slipwayVersion, "1.30")],
  schema: slipwaySchema,
  complete: completeSlipway,
  after: ["prometheus-crds", "proxmox-ccm"],
  leaves: "clusters of its objects run on, but nothing keeps them as these say until it is back",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
