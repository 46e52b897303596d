/** Lets kubelets have serving certificates that others can check, now and at every renewal. */
import { defineAddon, optionsOf } from "../common/index.ts";

export const kubeletCsrApprover = defineAddon({
  name: "kubelet-csr-approver",
  versions: [{ version: "1.2.14" }],
  ...optionsOf(
    "kubelet-csr-approver",
    "Lets kubelets have certificates of their own, which logs, exec and metrics-server trust.",
  ),
  facts: () => ({ approvesServingCertificates: true }),
  leaves: "the certificates kubelets have; logs, exec and metrics fail once they run out",
  install: async () => (await import("./install.ts")).installation,
  standIn: async () => (await import("./stand-in/index.ts")).standIn,
});
