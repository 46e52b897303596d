/** The kinds of the Prometheus Operator: what others install may name them before it is there. */
import { tested } from "../../spec/index.ts";
import { defineAddon, optionsOf } from "../common/index.ts";

export const prometheusCrds = defineAddon({
  name: "prometheus-crds",
  chartName: "prometheus-operator-crds",
  versions: [tested("31.0.1", "1.16")],
  ...optionsOf("prometheus-crds", "The kinds of the Prometheus Operator, before it comes."),
  hasNoPods: true,
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
