/** What nodes and pods use right now, for `kubectl top` and for autoscaling. */
import { tested } from "../../spec/index.ts";
import { defineAddon, optionsOf } from "../common/index.ts";
import { packagedTwice } from "./checks.ts";

export const metricsServer = defineAddon({
  name: "metrics-server",
  title: "Metrics Server",
  versions: [tested("3.14.0", "1.34"), tested("3.13.1", "1.31")],
  ...optionsOf("metrics-server", "What nodes and pods use; kubelet-csr-approver comes along."),
  facts: () => ({ dependencies: ["kubelet-csr-approver"] }),
  check: packagedTwice,
  // It trusts kubelets by certificates that have to be approved first.
  after: ["kubelet-csr-approver", "proxmox-ccm"],
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
