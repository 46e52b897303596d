/** Keeps the cluster as a Git repository says. */
import { tested } from "../../spec/index.ts";
import { defineAddon } from "../common/index.ts";
import { checkFlux } from "./checks.ts";
import { completeFlux, fluxSchema } from "./options.ts";

export const flux = defineAddon({
  name: "flux",
  chartName: "flux-operator",
  versions: [tested("0.58.1", "1.33")],
  schema: fluxSchema,
  complete: completeFlux,
  facts: () => ({ gitOps: "Flux" }),
  check: checkFlux,
  after: ["proxmox-ccm", "prometheus-crds", "gateway-api-crds", "cert-manager"],
  leaves: "what Flux applied, as it is; the Git repository is no longer watched",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
