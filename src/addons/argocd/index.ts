/** Keeps applications as Git repositories say. */
import { tested } from "../../spec/index.ts";
import { defineAddon } from "../common/index.ts";
import { argocdWarnings, checkArgocd } from "./checks.ts";
import { argocdSchema, completeArgocd } from "./options.ts";

export const argocd = defineAddon({
  name: "argocd",
  chartName: "argo-cd",
  versions: [tested("10.7.2", "1.33", "1.36"), tested("10.1.1", "1.32", "1.35")],
  schema: argocdSchema,
  complete: completeArgocd,
  facts: () => ({ gitOps: "Argo CD" }),
  check: checkArgocd,
  warn: argocdWarnings,
  after: ["proxmox-ccm", "prometheus-crds", "gateway-api-crds", "cert-manager"],
  leaves: "applications as they are; the Git repositories are no longer watched",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
